// SPDX-License-Identifier: MIT
//
// CRC-32 as zlib, gzip and PNG have it (polynomial 0x04C11DB7, reflected): every flipped bit and
// every burst of up to 32 bits changes it, and other programs have it at hand.

#pragma once

#include <stddef.h>
#include <stdint.h>

// Continues with the checksum of what came before; 0 to begin.
uint32_t tn_checksum(uint32_t before, const void *bytes, size_t n);
