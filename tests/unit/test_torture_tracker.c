/* Without memory the tracker's scenarios end the process in the one defined way.
 * `test_torture_tracker FILE...` takes some. */
#define _GNU_SOURCE
#include "scenario.h"
#include "torture.h"

static const char *scenario;

static void tell_scenario(void)
{
    way = SAVED_BEFORE_EACH_STEP;
    run_scenario(scenario);
    torture_state->armed = false;
    bytes_finish(&pending);
    torture_state->armed = true;
}

static void tell_scenario_file(const char *file)
{
    scenario = file;
    torture_tell(
        &(struct torture){.name = file, .tell = tell_scenario, .sample = 20, .of_program = true});
}

int main(int count, char **arguments)
{
    torture_begin();
    for (int i = 1; i < count; i++)
        tell_scenario_file(arguments[i]);
    if (count < 2)
        each_scenario(tell_scenario_file);
    return torture_end();
}
