/* A guest of 512 bytes that tells whether its memory is what it was. At its start it makes up a number, and from then on writes
   that number and how often it has written it to the serial port, nine times a second. It powers off when the power button is
   pressed (ACPI), or when it reads a `q`.

   as --32 boot.s -o boot.o && objcopy -O binary -j .text boot.o boot.bin && base64 boot.bin     (see ../libvirt.ts) */
.code16
.globl _start
_start:
  cli
  xorw %ax,%ax
  movw %ax,%ds
  movw %ax,%ss
  movw $0x7c00,%sp
  movw $0x602,%dx
  movw $0x0100,%ax
  outw %ax,%dx
  rdtsc
  movl %eax,0x500
  movl $0,0x504
  sti
loop:
  movl 0x500,%eax
  call hex
  movb $' ',%al
  call put
  movl 0x504,%eax
  call hex
  movb $'\n',%al
  call put
  incl 0x504
  movw $2,%bx
wait:
  hlt
  movw $0x600,%dx
  inw %dx,%ax
  testb $1,%ah
  jnz off
  movw $0x3fd,%dx
  inb %dx,%al
  testb $1,%al
  jz none
  movw $0x3f8,%dx
  inb %dx,%al
  cmpb $'q',%al
  je off
none:
  decw %bx
  jnz wait
  jmp loop
off:
  movw $0x604,%dx
  movw $0x2000,%ax
  outw %ax,%dx
stop:
  hlt
  jmp stop
hex:
  movw $8,%cx
digit:
  roll $4,%eax
  pushl %eax
  andb $0xf,%al
  addb $'0',%al
  cmpb $'9',%al
  jbe 1f
  addb $39,%al
1:
  call put
  popl %eax
  decw %cx
  jnz digit
  ret
put:
  pushw %dx
  pushw %ax
ready:
  movw $0x3fd,%dx
  inb %dx,%al
  testb $0x20,%al
  jz ready
  popw %ax
  movw $0x3f8,%dx
  outb %al,%dx
  popw %dx
  ret
.org 510
.word 0xaa55
