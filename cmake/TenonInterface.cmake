# SPDX-License-Identifier: MIT
#
# cmake -DINCLUDE=include/tenon -DOUT=FILE.c -P TenonInterface.cmake: writes tn_interface(), the mark
# of the public headers. python/extension.py makes the same mark of those that it reads.

file(GLOB names RELATIVE ${INCLUDE} ${INCLUDE}/*)
list(SORT names)
set(each "")
foreach(name IN LISTS names)
    file(SHA256 ${INCLUDE}/${name} sum)
    string(APPEND each "${name}:${sum}\n")
endforeach()
string(SHA256 mark "${each}")
string(SUBSTRING ${mark} 0 16 mark)
file(WRITE ${OUT} "#include \"tenon/help.h\"\n\nconst char *tn_interface(void)\n{\n    return \"${mark}\";\n}\n")
