// SPDX-License-Identifier: MIT
//
// A shared object that is no plugin.

int tenon_no_plugin(void);
int tenon_no_plugin(void)
{
    return 0;
}
