// A new file, or a new name of one, is on the disk only after its folder is synced.
#pragma once

// Syncs the folder of the file at path. Returns 0, or the errno of what failed. A file system that does not
// know this, and a folder that this user may not read, are no failure.
int folder_sync(const char *path);
