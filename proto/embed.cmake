# Writes the bytes of FILES as C arrays wire_descriptor_NAME into OUTPUT.
set(text "#include <stddef.h>\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND text "const unsigned char wire_descriptor_${name}[] = {${bytes}};\n"
                     "const size_t wire_descriptor_${name}_size = sizeof wire_descriptor_${name};\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
