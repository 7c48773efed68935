// How grave an event is, by its name. An event of an unknown name is information.
#pragma once

enum event_grade { GRADE_INFORMATION, GRADE_WARNING, GRADE_ERROR };

enum event_grade event_grade_of(const char *name);
