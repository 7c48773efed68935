// The C interface of FMI 2.0 and 3.0 for co-simulation: the types and the functions that cross it, as tables
// of rows FUNCTION(name without its prefix, type of the result, parameters). Whoever provides the functions
// declares them from the tables, whoever imports an FMU makes pointers of them.
// Sources: Functional Mock-up Interface 2.0.5 (2024) and 3.0.2 (2024), Modelica Association.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A status has the same number in both standards.
enum { FMI_OK, FMI_WARNING, FMI_DISCARD, FMI_ERROR, FMI_FATAL, FMI_PENDING };

// ---- FMI 2.0 ----

enum { FMI2_CO_SIMULATION = 1 }; // fmi2Type
enum {
  FMI2_DO_STEP_STATUS,
  FMI2_PENDING_STATUS,
  FMI2_LAST_SUCCESSFUL_TIME,
  FMI2_TERMINATED
}; // fmi2StatusKind

typedef void (*fmi2_logger)(void *environment, const char *instance, int status, const char *category,
                            const char *message, ...);
struct fmi2_callbacks {
  fmi2_logger logger;
  void *(*allocate)(size_t count, size_t size);
  void (*release)(void *memory);
  void (*step_finished)(void *environment, int status);
  void *environment;
};

#define FMI2_FUNCTIONS(FUNCTION)                                                                             \
  FUNCTION(GetTypesPlatform, const char *, (void))                                                           \
  FUNCTION(GetVersion, const char *, (void))                                                                 \
  FUNCTION(SetDebugLogging, int, (void *c, int on, size_t n, const char *const category[]))                  \
  FUNCTION(Instantiate, void *,                                                                              \
           (const char *name, int type, const char *guid, const char *resources,                             \
            const struct fmi2_callbacks *callbacks, int visible, int logging))                               \
  FUNCTION(FreeInstance, void, (void *c))                                                                    \
  FUNCTION(SetupExperiment, int,                                                                             \
           (void *c, int has_tolerance, double tolerance, double start, int has_stop, double stop))          \
  FUNCTION(EnterInitializationMode, int, (void *c))                                                          \
  FUNCTION(ExitInitializationMode, int, (void *c))                                                           \
  FUNCTION(Terminate, int, (void *c))                                                                        \
  FUNCTION(Reset, int, (void *c))                                                                            \
  FUNCTION(GetReal, int, (void *c, const uint32_t vr[], size_t n, double value[]))                           \
  FUNCTION(GetInteger, int, (void *c, const uint32_t vr[], size_t n, int value[]))                           \
  FUNCTION(GetBoolean, int, (void *c, const uint32_t vr[], size_t n, int value[]))                           \
  FUNCTION(GetString, int, (void *c, const uint32_t vr[], size_t n, const char *value[]))                    \
  FUNCTION(SetReal, int, (void *c, const uint32_t vr[], size_t n, const double value[]))                     \
  FUNCTION(SetInteger, int, (void *c, const uint32_t vr[], size_t n, const int value[]))                     \
  FUNCTION(SetBoolean, int, (void *c, const uint32_t vr[], size_t n, const int value[]))                     \
  FUNCTION(SetString, int, (void *c, const uint32_t vr[], size_t n, const char *const value[]))              \
  FUNCTION(GetFMUstate, int, (void *c, void **state))                                                        \
  FUNCTION(SetFMUstate, int, (void *c, void *state))                                                         \
  FUNCTION(FreeFMUstate, int, (void *c, void **state))                                                       \
  FUNCTION(SerializedFMUstateSize, int, (void *c, void *state, size_t *size))                                \
  FUNCTION(SerializeFMUstate, int, (void *c, void *state, char out[], size_t size))                          \
  FUNCTION(DeSerializeFMUstate, int, (void *c, const char in[], size_t size, void **state))                  \
  FUNCTION(GetDirectionalDerivative, int,                                                                    \
           (void *c, const uint32_t unknown[], size_t unknowns, const uint32_t known[], size_t knowns,       \
            const double seed[], double out[]))                                                              \
  FUNCTION(SetRealInputDerivatives, int,                                                                     \
           (void *c, const uint32_t vr[], size_t n, const int order[], const double value[]))                \
  FUNCTION(GetRealOutputDerivatives, int,                                                                    \
           (void *c, const uint32_t vr[], size_t n, const int order[], double value[]))                      \
  FUNCTION(DoStep, int, (void *c, double at, double step, int no_set_state_before))                          \
  FUNCTION(CancelStep, int, (void *c))                                                                       \
  FUNCTION(GetStatus, int, (void *c, int kind, int *value))                                                  \
  FUNCTION(GetRealStatus, int, (void *c, int kind, double *value))                                           \
  FUNCTION(GetIntegerStatus, int, (void *c, int kind, int *value))                                           \
  FUNCTION(GetBooleanStatus, int, (void *c, int kind, int *value))                                           \
  FUNCTION(GetStringStatus, int, (void *c, int kind, const char **value))

// ---- FMI 3.0 ----

typedef void (*fmi3_logger)(void *environment, int status, const char *category, const char *message);
typedef void (*fmi3_intermediate_update)(void *environment, double time, bool set_requested, bool get_allowed,
                                         bool step_finished, bool can_return_early, bool *early,
                                         double *early_time);
typedef void (*fmi3_clock_update)(void *environment);
typedef void (*fmi3_preemption)(void);

#define FMI3_GET_AND_SET(FUNCTION, name, type)                                                               \
  FUNCTION(Get##name, int, (void *c, const uint32_t vr[], size_t n, type value[], size_t values))            \
  FUNCTION(Set##name, int, (void *c, const uint32_t vr[], size_t n, const type value[], size_t values))

#define FMI3_FUNCTIONS(FUNCTION)                                                                             \
  FUNCTION(GetVersion, const char *, (void))                                                                 \
  FUNCTION(SetDebugLogging, int, (void *c, bool on, size_t n, const char *const category[]))                 \
  FUNCTION(InstantiateModelExchange, void *,                                                                 \
           (const char *name, const char *token, const char *resources, bool visible, bool logging,          \
            void *environment, fmi3_logger log))                                                             \
  FUNCTION(InstantiateCoSimulation, void *,                                                                  \
           (const char *name, const char *token, const char *resources, bool visible, bool logging,          \
            bool event_mode, bool early_return, const uint32_t intermediate[], size_t n, void *environment,  \
            fmi3_logger log, fmi3_intermediate_update update))                                               \
  FUNCTION(InstantiateScheduledExecution, void *,                                                            \
           (const char *name, const char *token, const char *resources, bool visible, bool logging,          \
            void *environment, fmi3_logger log, fmi3_clock_update update, fmi3_preemption lock,              \
            fmi3_preemption unlock))                                                                         \
  FUNCTION(FreeInstance, void, (void *c))                                                                    \
  FUNCTION(EnterInitializationMode, int,                                                                     \
           (void *c, bool has_tolerance, double tolerance, double start, bool has_stop, double stop))        \
  FUNCTION(ExitInitializationMode, int, (void *c))                                                           \
  FUNCTION(Terminate, int, (void *c))                                                                        \
  FUNCTION(Reset, int, (void *c))                                                                            \
  FMI3_GET_AND_SET(FUNCTION, Float32, float)                                                                 \
  FMI3_GET_AND_SET(FUNCTION, Float64, double)                                                                \
  FMI3_GET_AND_SET(FUNCTION, Int8, int8_t)                                                                   \
  FMI3_GET_AND_SET(FUNCTION, UInt8, uint8_t)                                                                 \
  FMI3_GET_AND_SET(FUNCTION, Int16, int16_t)                                                                 \
  FMI3_GET_AND_SET(FUNCTION, UInt16, uint16_t)                                                               \
  FMI3_GET_AND_SET(FUNCTION, Int32, int32_t)                                                                 \
  FMI3_GET_AND_SET(FUNCTION, UInt32, uint32_t)                                                               \
  FMI3_GET_AND_SET(FUNCTION, Int64, int64_t)                                                                 \
  FMI3_GET_AND_SET(FUNCTION, UInt64, uint64_t)                                                               \
  FMI3_GET_AND_SET(FUNCTION, Boolean, bool)                                                                  \
  FUNCTION(GetString, int, (void *c, const uint32_t vr[], size_t n, const char *value[], size_t values))     \
  FUNCTION(SetString, int,                                                                                   \
           (void *c, const uint32_t vr[], size_t n, const char *const value[], size_t values))               \
  FUNCTION(GetBinary, int,                                                                                   \
           (void *c, const uint32_t vr[], size_t n, size_t size[], const uint8_t *value[], size_t values))   \
  FUNCTION(SetBinary, int,                                                                                   \
           (void *c, const uint32_t vr[], size_t n, const size_t size[], const uint8_t *const value[],       \
            size_t values))                                                                                  \
  FUNCTION(GetClock, int, (void *c, const uint32_t vr[], size_t n, bool value[]))                            \
  FUNCTION(SetClock, int, (void *c, const uint32_t vr[], size_t n, const bool value[]))                      \
  FUNCTION(GetFMUState, int, (void *c, void **state))                                                        \
  FUNCTION(SetFMUState, int, (void *c, void *state))                                                         \
  FUNCTION(FreeFMUState, int, (void *c, void **state))                                                       \
  FUNCTION(SerializedFMUStateSize, int, (void *c, void *state, size_t *size))                                \
  FUNCTION(SerializeFMUState, int, (void *c, void *state, uint8_t out[], size_t size))                       \
  FUNCTION(DeserializeFMUState, int, (void *c, const uint8_t in[], size_t size, void **state))               \
  FUNCTION(DoStep, int,                                                                                      \
           (void *c, double at, double step, bool no_set_state_before, bool *event, bool *terminate,         \
            bool *early, double *last_time))

// Model exchange, clocks, events, derivatives and configuration: a simple co-simulation has them to refuse
// them.
#define FMI3_OTHER_FUNCTIONS(FUNCTION)                                                                       \
  FUNCTION(EnterEventMode, int, (void *c))                                                                   \
  FUNCTION(GetNumberOfVariableDependencies, int, (void *c, uint32_t vr, size_t *n))                          \
  FUNCTION(GetVariableDependencies, int,                                                                     \
           (void *c, uint32_t dependent, size_t element[], uint32_t independent[], size_t of_element[],      \
            int kind[], size_t n))                                                                           \
  FUNCTION(GetDirectionalDerivative, int,                                                                    \
           (void *c, const uint32_t unknown[], size_t unknowns, const uint32_t known[], size_t knowns,       \
            const double seed[], size_t seeds, double out[], size_t outs))                                   \
  FUNCTION(GetAdjointDerivative, int,                                                                        \
           (void *c, const uint32_t unknown[], size_t unknowns, const uint32_t known[], size_t knowns,       \
            const double seed[], size_t seeds, double out[], size_t outs))                                   \
  FUNCTION(EnterConfigurationMode, int, (void *c))                                                           \
  FUNCTION(ExitConfigurationMode, int, (void *c))                                                            \
  FUNCTION(GetIntervalDecimal, int,                                                                          \
           (void *c, const uint32_t vr[], size_t n, double interval[], int qualifier[]))                     \
  FUNCTION(                                                                                                  \
      GetIntervalFraction, int,                                                                              \
      (void *c, const uint32_t vr[], size_t n, uint64_t counter[], uint64_t resolution[], int qualifier[]))  \
  FUNCTION(GetShiftDecimal, int, (void *c, const uint32_t vr[], size_t n, double shift[]))                   \
  FUNCTION(GetShiftFraction, int,                                                                            \
           (void *c, const uint32_t vr[], size_t n, uint64_t counter[], uint64_t resolution[]))              \
  FUNCTION(SetIntervalDecimal, int, (void *c, const uint32_t vr[], size_t n, const double interval[]))       \
  FUNCTION(SetIntervalFraction, int,                                                                         \
           (void *c, const uint32_t vr[], size_t n, const uint64_t counter[], const uint64_t resolution[]))  \
  FUNCTION(SetShiftDecimal, int, (void *c, const uint32_t vr[], size_t n, const double shift[]))             \
  FUNCTION(SetShiftFraction, int,                                                                            \
           (void *c, const uint32_t vr[], size_t n, const uint64_t counter[], const uint64_t resolution[]))  \
  FUNCTION(EvaluateDiscreteStates, int, (void *c))                                                           \
  FUNCTION(UpdateDiscreteStates, int,                                                                        \
           (void *c, bool *again, bool *terminate, bool *nominals_changed, bool *values_changed,             \
            bool *has_next_event, double *next_event))                                                       \
  FUNCTION(EnterContinuousTimeMode, int, (void *c))                                                          \
  FUNCTION(CompletedIntegratorStep, int,                                                                     \
           (void *c, bool no_set_state_before, bool *enter_event_mode, bool *terminate))                     \
  FUNCTION(SetTime, int, (void *c, double time))                                                             \
  FUNCTION(SetContinuousStates, int, (void *c, const double state[], size_t n))                              \
  FUNCTION(GetContinuousStateDerivatives, int, (void *c, double out[], size_t n))                            \
  FUNCTION(GetEventIndicators, int, (void *c, double out[], size_t n))                                       \
  FUNCTION(GetContinuousStates, int, (void *c, double out[], size_t n))                                      \
  FUNCTION(GetNominalsOfContinuousStates, int, (void *c, double out[], size_t n))                            \
  FUNCTION(GetNumberOfEventIndicators, int, (void *c, size_t *n))                                            \
  FUNCTION(GetNumberOfContinuousStates, int, (void *c, size_t *n))                                           \
  FUNCTION(EnterStepMode, int, (void *c))                                                                    \
  FUNCTION(GetOutputDerivatives, int,                                                                        \
           (void *c, const uint32_t vr[], size_t n, const int32_t order[], double value[], size_t values))   \
  FUNCTION(ActivateModelPartition, int, (void *c, uint32_t clock, double time))

// Declares all functions of a table, for the library that provides them.
#define FMI_EXPORT                           __attribute__((visibility("default")))
#define FMI2_DECLARE(name, type, parameters) FMI_EXPORT type fmi2##name parameters;
#define FMI3_DECLARE(name, type, parameters) FMI_EXPORT type fmi3##name parameters;
