#include "vterm_snapshot/width.h"

#include "vterm_snapshot/unicode_table.h"
