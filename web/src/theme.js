// SPDX-License-Identifier: MIT
//
// Light or dark, before anything is drawn: as the system has it.

const dark = window.matchMedia('(prefers-color-scheme: dark)').matches;
document.documentElement.dataset.theme = dark ? 'dark' : 'light';
