// Opening tests that the device is present and then counts itself as a user; unplugging tests that nobody uses the
// device and then takes it away. Each test happens before the other's change, and a device that is gone is opened.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { OK = 0, NO_DEVICE = -1, BUSY = -2 };

struct device {
    pthread_mutex_t lock;
    int present;
    int users;
    int registers[2];
};

static struct device device = {PTHREAD_MUTEX_INITIALIZER, 0, 0, {0, 0}};
static int opened, removed;

static void probe(struct device *device) {
    device->registers[0] = 0x10;
    device->registers[1] = 0x20;
    device->present = 1;
}

static int start_transfer(struct device *device) {
    assert(device->present);
    return device->registers[0] + device->registers[1];
}

static int open_device(struct device *device) {
    if (!device->present) {
        return NO_DEVICE;
    }
    pthread_mutex_lock(&device->lock);
    device->users++;
    pthread_mutex_unlock(&device->lock);
    return OK;
}

static void close_device(struct device *device) {
    pthread_mutex_lock(&device->lock);
    device->users--;
    pthread_mutex_unlock(&device->lock);
}

static int disconnect(struct device *device) {
    if (device->users > 0) {
        return BUSY;
    }
    device->present = 0;
    return OK;
}

static void *use(void *argument) {
    struct device *device = argument;
    int sum;

    if (open_device(device) != OK) {
        return NULL;
    }
    sum = start_transfer(device);
    opened = sum > 0;
    close_device(device);
    return NULL;
}

static void *unplug(void *argument) {
    struct device *device = argument;

    if (disconnect(device) == OK) {
        removed = 1;
    }
    return NULL;
}

int main(void) {
    pthread_t user, hotplug;

    probe(&device);
    pthread_create(&user, NULL, use, &device);
    pthread_create(&hotplug, NULL, unplug, &device);
    pthread_join(user, NULL);
    pthread_join(hotplug, NULL);

    assert(device.users == 0);
    assert(opened || removed);
    return 0;
}
