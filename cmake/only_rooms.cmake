# cmake -DTARGET=cts_x -DFOUND=a;b -DALLOWED=a;b -P only_rooms.cmake: whether TARGET links just what it may.
if(NOT FOUND STREQUAL ALLOWED)
  message(FATAL_ERROR "${TARGET}: found ${FOUND}, expected ${ALLOWED}; a room that it must not know has to hand it data")
endif()
