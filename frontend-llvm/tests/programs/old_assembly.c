/* Assembly as programs of the 1990s wrote it: tied and fixed operands, several instructions in one template. */
#include <stdio.h>
#include <assert.h>
#define PAUSE() __asm__ __volatile__("rep; nop" ::: "memory")
#define MFENCE() asm volatile("mfence" ::: "memory")
static unsigned cmpxchg(volatile unsigned *p, unsigned old, unsigned new_) {
  unsigned prev;
  __asm__ __volatile__("lock; cmpxchgl %1,%2" : "=a"(prev) : "q"(new_), "m"(*p), "0"(old) : "memory");
  return prev;
}
static unsigned cmpxchg2(volatile unsigned *p, unsigned old, unsigned new_) {
  register unsigned prev asm("eax");
  __asm__ __volatile__("lock\n\tcmpxchgl %2,%1" : "=r"(prev), "+m"(*p) : "r"(new_), "0"(old) : "memory","cc");
  return prev;
}
static unsigned char cas3(volatile unsigned long *p, unsigned long old, unsigned long new_) {
  unsigned char ok;
  __asm__ __volatile__("lock; cmpxchgq %3,%1; sete %0" : "=q"(ok), "=m"(*p), "+a"(old) : "r"(new_), "m"(*p) : "memory");
  return ok;
}
static unsigned cas4(volatile unsigned *p, unsigned old, unsigned new_) {
  unsigned prev;
  __asm__ __volatile__("lock; cmpxchgl %k1,%2" : "=a"(prev) : "r"(new_), "m"(*(volatile long*)p), "0"(old) : "memory");
  return prev;
}
static unsigned cas5(volatile unsigned *p, unsigned old, unsigned new_) {
  __asm__ __volatile__("lock; cmpxchgl %2,(%1)" : "+a"(old) : "r"(p), "r"(new_) : "memory");
  return old;
}
static int xchg(volatile int *p, int v) {
  __asm__ __volatile__("xchgl %0,%1" : "=r"(v), "=m"(*p) : "0"(v), "m"(*p) : "memory");
  return v;
}
static int xchg2(volatile int *p, int v) {
  __asm__ __volatile__("xchgl %0,(%1)" : "+r"(v) : "r"(p) : "memory");
  return v;
}
static int xadd(volatile int *p, int v) {
  __asm__ __volatile__("lock; xaddl %0,%1" : "=r"(v), "=m"(*p) : "0"(v), "m"(*p) : "memory");
  return v;
}
static int bts(volatile unsigned *p, int b) {
  int old;
  __asm__ __volatile__("lock; btsl %2,%1\n\tsbbl %0,%0" : "=r"(old), "=m"(*p) : "Ir"(b), "m"(*p) : "memory");
  return old;
}
static int btr(volatile unsigned *p, int b) {
  unsigned char old;
  __asm__ __volatile__("lock; btrl %2,%1\n\tsetc %0" : "=q"(old), "+m"(*p) : "r"(b) : "memory","cc");
  return old;
}
static int tas(volatile char *p) {
  char v = 1;
  asm volatile("xchgb %b0, %1" : "+q"(v), "+m"(*p) :: "memory");
  return v;
}
static unsigned cas6(volatile unsigned *p, unsigned old, unsigned new_) {
  unsigned prev;
  __asm__ __volatile__("movl %3,%%ecx; lock; cmpxchgl %%ecx,(%%rdx)" : "=a"(prev) : "d"(p), "0"(old), "r"(new_) : "ecx", "memory");
  return prev;
}
static void *swap(void *volatile *p, void *v) {
  void *r;
  asm volatile("xchg %0,%1" : "=r"(r) : "m"(*p), "0"(v) : "memory");
  return r;
}
int main(){
  unsigned a=5; unsigned long l=7; int i=1; unsigned b=0; char c=0; int x, y; void *p = &x;
  assert(cmpxchg(&a,5,6)==5 && a==6); assert(cmpxchg(&a,5,9)==6 && a==6);
  assert(cmpxchg2(&a,6,7)==6 && a==7);
  assert(cas3(&l,7,8)==1 && l==8); assert(cas3(&l,7,8)==0);
  assert(cas5(&a,7,8)==7 && a==8);
  assert(cas4(&a,8,9)==8 && a==9);
  assert(cas6(&a,9,10)==9 && a==10);
  assert(xchg(&i,4)==1 && i==4); assert(xchg2(&i,5)==4 && i==5);
  assert(xadd(&i,3)==5 && i==8);
  assert(bts(&b,3)==0 && b==8); assert(bts(&b,3)!=0); assert(btr(&b,3)!=0 && b==0);
  assert(tas(&c)==0 && c==1);
  assert(swap(&p,&y)==&x && p==&y);
  PAUSE(); MFENCE();
  printf("%u %lu %d %u %d\n", a, l, i, b, c);
  return 0;
}
