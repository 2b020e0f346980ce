// A static object is made when it is first asked for. The pointer is published before the object's table is filled; a
// second thread finds the pointer, takes the object for finished, and looks up a pass that is not there yet.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

enum {
    PASSES = 3,
    THREADS = 2,
    MAX_STATICS = 2
};

enum pass_id { NO_PASS, MEM2REG, LICM, GVN };

enum pass_kind { FUNCTION_PASS, LOOP_PASS };

struct pass_info {
    enum pass_id id;
    enum pass_kind kind;
    int cost;
};

struct registry {
    struct pass_info *passes;
    int count;
};

typedef void *(*creator)(void);
typedef void (*initializer)(void *);
typedef void (*deleter)(void *);

struct managed_static {
    void *object;
    creator create;
    initializer initialize;
    deleter destroy;
};

struct pipeline {
    enum pass_id first;
    enum pass_id second;
    int cost;
};

struct compiler {
    pthread_t thread;
    struct pipeline pipeline;
};

static struct managed_static *statics[MAX_STATICS];
static int statics_count;
static struct compiler compilers[THREADS];
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

/* The registry of passes. */

static void add_pass(struct registry *registry, enum pass_id id, enum pass_kind kind, int cost) {
    struct pass_info *info = &registry->passes[registry->count];

    info->id = id;
    info->kind = kind;
    info->cost = cost;
    registry->count++;
}

static void *create_registry(void) {
    struct registry *registry = malloc(sizeof *registry);

    if (registry == NULL) {
        abort();
    }
    registry->passes = calloc(PASSES, sizeof *registry->passes);
    if (registry->passes == NULL) {
        abort();
    }
    registry->count = 0;
    return registry;
}

static void initialize_registry(void *object) {
    struct registry *registry = object;

    add_pass(registry, MEM2REG, FUNCTION_PASS, 2);
    add_pass(registry, LICM, LOOP_PASS, 5);
    add_pass(registry, GVN, FUNCTION_PASS, 9);
}

static void destroy_registry(void *object) {
    struct registry *registry = object;

    free(registry->passes);
    free(registry);
}

static const struct pass_info *find_pass(const struct registry *registry, enum pass_id id) {
    for (int i = 0; i < PASSES; i++) {
        if (i >= registry->count) {
            break;
        }
        if (registry->passes[i].id == id) {
            return &registry->passes[i];
        }
    }
    return NULL;
}

/* Statics that are made when they are needed, and destroyed in reverse at the end. */

static struct managed_static pass_registry = {
    NULL,
    create_registry,
    initialize_registry,
    destroy_registry,
};

static void register_static(struct managed_static *managed) {
    pthread_mutex_lock(&list_lock);
    assert(statics_count < MAX_STATICS);
    statics[statics_count] = managed;
    statics_count++;
    pthread_mutex_unlock(&list_lock);
}

static void make(struct managed_static *managed) {
    void *object = managed->create();

    managed->object = object;
    managed->initialize(object);
    register_static(managed);
}

static void *get(struct managed_static *managed) {
    if (managed->object == NULL) {
        make(managed);
    }
    return managed->object;
}

static void shutdown(void) {
    while (statics_count > 0) {
        struct managed_static *managed = statics[statics_count - 1];

        if (managed->object != NULL) {
            managed->destroy(managed->object);
            managed->object = NULL;
        }
        statics_count--;
    }
}

/* Pipelines. */

static int is_worthwhile(const struct pass_info *info) {
    return info->kind == FUNCTION_PASS || info->cost < 8;
}

static const struct pass_info *require_pass(enum pass_id id) {
    const struct pass_info *info = find_pass(get(&pass_registry), id);

    assert(info != NULL);
    return info;
}

static void add_to_pipeline(struct pipeline *pipeline, const struct pass_info *info) {
    if (!is_worthwhile(info)) {
        return;
    }
    if (pipeline->first == NO_PASS) {
        pipeline->first = info->id;
    } else {
        pipeline->second = info->id;
    }
    pipeline->cost += info->cost;
}

static void reset_pipeline(struct pipeline *pipeline) {
    pipeline->first = NO_PASS;
    pipeline->second = NO_PASS;
    pipeline->cost = 0;
}

/* A thread of its own compiles each module. */

static void *compile(void *argument) {
    struct compiler *self = argument;

    add_to_pipeline(&self->pipeline, require_pass(MEM2REG));
    return NULL;
}

static void start(struct compiler *compiler) {
    reset_pipeline(&compiler->pipeline);
    pthread_create(&compiler->thread, NULL, compile, compiler);
}

static int finish(struct compiler *compiler) {
    pthread_join(compiler->thread, NULL);
    return compiler->pipeline.cost;
}

int main(void) {
    int cost = 0;

    for (int i = 0; i < THREADS; i++) {
        start(&compilers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        cost += finish(&compilers[i]);
    }

    assert(cost == THREADS * 2);
    for (int i = 0; i < THREADS; i++) {
        assert(compilers[i].pipeline.first == MEM2REG);
        assert(compilers[i].pipeline.second == NO_PASS);
    }
    shutdown();
    return 0;
}
