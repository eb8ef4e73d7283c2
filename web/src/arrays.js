// SPDX-License-Identifier: MIT
//
// Arrays in the data of pages: {"f64": base64} or {"f32": base64}, little endian, or plain lists.

const TYPES = { f64: Float64Array, f32: Float32Array };

function bytesOf(base64) {
    if (Uint8Array.fromBase64)
        return Uint8Array.fromBase64(base64);
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++)
        bytes[i] = text.charCodeAt(i);
    return bytes;
}

export function decodeArray(array) {
    if (Array.isArray(array))
        return Float64Array.from(array, (x) => (x === null ? NaN : x));
    for (const [key, Type] of Object.entries(TYPES)) {
        if (typeof array?.[key] !== 'string')
            continue;
        const bytes = bytesOf(array[key]);
        const whole = bytes.length - (bytes.length % Type.BYTES_PER_ELEMENT);
        return new Type(bytes.buffer, bytes.byteOffset, whole / Type.BYTES_PER_ELEMENT);
    }
    return new Float64Array(0);
}
