// SPDX-License-Identifier: MIT
//
// Eight bytes at a time by eight tables ("slicing by 8"): results of gigabytes are checked before
// they are read, so a table per byte alone would be felt. Most aarch64 processors have an
// instruction for this polynomial; that of x86-64 has another one.

#include "base/checksum.h"

#include <pthread.h>
#include <string.h>

#ifdef __aarch64__
#include <sys/auxv.h>
#endif

static uint32_t table[8][256];

static void fill_tables(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        table[0][i] = c;
    }
    for (int k = 1; k < 8; k++)
        for (int i = 0; i < 256; i++)
            table[k][i] = table[0][table[k - 1][i] & 0xff] ^ table[k - 1][i] >> 8;
}

static uint32_t little(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t sum_by_tables(uint32_t c, const unsigned char *at, size_t n)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_tables);
    for (; n >= 8; n -= 8, at += 8) {
        const uint32_t low = c ^ little(at), high = little(at + 4);
        c = table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^ table[5][low >> 16 & 0xff] ^
            table[4][low >> 24] ^ table[3][high & 0xff] ^ table[2][high >> 8 & 0xff] ^
            table[1][high >> 16 & 0xff] ^ table[0][high >> 24];
    }
    for (; n > 0; n--, at++)
        c = table[0][(c ^ *at) & 0xff] ^ c >> 8;
    return c;
}

#ifdef __aarch64__

enum { HAS_CRC32 = 1 << 7 }; // HWCAP_CRC32 of Linux

// By name in the assembler: compilers have it behind options and attributes of their own.
static uint32_t sum_by_instruction(uint32_t c, const unsigned char *at, size_t n)
{
    for (; n >= 8; n -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        __asm__(".arch_extension crc\n\tcrc32x %w0, %w0, %x1" : "+r"(c) : "r"(word));
    }
    for (; n > 0; n--, at++)
        __asm__(".arch_extension crc\n\tcrc32b %w0, %w0, %w1" : "+r"(c) : "r"((uint32_t)*at));
    return c;
}

#endif

uint32_t tn_checksum(uint32_t before, const void *bytes, size_t n)
{
#ifdef __aarch64__
    if (getauxval(AT_HWCAP) & HAS_CRC32)
        return ~sum_by_instruction(~before, bytes, n);
#endif
    return ~sum_by_tables(~before, bytes, n);
}
