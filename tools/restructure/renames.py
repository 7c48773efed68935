# old path -> {static name: name in the merged file}; EDITS: old path -> [(text, text)]
import json, re, collections, sys
R = collections.defaultdict(dict); EDITS = collections.defaultdict(list)
R['core/sim/code_check.c']['section_of'] = 'check_section_of'
R['core/sim/fatigue_watch.c']['section_of'] = 'fatigue_section_of'
R['hil/link_energy.c']['sample_at'] = 'energy_sample_at'
R['hil/feedback.c']['sample_at'] = 'feedback_sample_at'
EDITS['io/telegrams/telegram_read.c'] = [('static const double RAD = 3.14159265358979323846 / 180;\n', '')]
R['hydro/memory_model.c']['solve'] = 'solve_square'
R['hydro/fit_error.c']['solve'] = 'solve_motion'
EDITS['hydro/codes/orcaflex_tables.c'] = [('static const double PI = 3.14159265358979323846, TONNE = 1000, EQUAL = 1e-5;', 'static const double EQUAL = 1e-5;')]
R['io/config/section_modbus.c']['check_endpoint'] = 'check_modbus_endpoint'
R['io/codec/codec_judged.c']['fill_verdict'] = 'fill_judged_verdict'
R['io/codec/codec_session.c']['fill_verdict'] = 'fill_welcome_verdict'
for n in ('follow', 'prepare'): R['io/wire/telemetry_reader.c'][n] = n + '_telemetry'
R['io/log/snapshots.c'] = {'POLL_NS': 'ORDER_POLL_NS', 'write_until_stopped': 'write_snapshots_until_stopped'}
EDITS['host/summary_state.c'] = [('static const double DEG = 180 / TRIG_PI;\n', '')]
R['sweep/wave_fit.c']['read_row'] = 'read_wave_row'
EDITS['capability/json.c'] = [('static const double DEG = 180 / TRIG_PI;\n', '')]
EDITS['capability/table.c'] = []
R['view/server/seat.c']['is_same'] = 'is_same_secret'
R['verify/pipe/yield_mesh.c']['lay'] = 'begin_lay'
R['verify/lay/planar_payout.c'] = {'lay_def': 'planar_lay_def', 'run': 'run_planar'}
R['verify/lay/abandonment.c']['STEP_S'] = 'ABANDONMENT_STEP_S'
R['verify/lay/sleeve.c'] = {'END_S': 'SLEEVE_END_S', 'STEP_S': 'SLEEVE_STEP_S'}
R['verify/lay/tower.c'] = {'END_S': 'TOWER_END_S', 'run': 'run_tower'}
R['verify/rigid/torqued.c']['kick'] = 'kick_torqued'
R['verify/rigid/one_second.c'] = {'methods': 'methods_of_one_second', 'errors_of': 'errors_of_one_second'}
EDITS['verify/vessel/link.c'] = [('static const double PI = 3.14159265358979323846;\n', '')]
R['app/log_recover.c']['copy'] = 'copy_recovered'
for n in ('answer', 'serve', 'print_address'): R['view/view_log.c'][n] = n + '_of_log'
TABLE = ('KEYS', 'GROUPS', 'ROWS', 'OPTIONS')
DROP = {
 'io/config/pipe/section_code_check.c': ['type_of'],
 'core/pipe/plasticity_feed.c': ['layers_at'], 'io/bus/nmea_trc.c': ['wrong'], 'serve/manager_watch.c': ['seconds_since'], 'app/window_print.c': ['is_within']}
def stem(path):
    b = path.split('/')[-1][:-2]
    for pre in ('dp_section_', 'section_', 'cmd_'): b = b.removeprefix(pre)
    return b.upper()
def r(path, **names): R[path].update(names)
r('core/sim/code_check.c', section_of='check_section_of')
R['core/sim/fatigue_watch.c']['section_of'] = 'watched_section_of'
r('hil/instruments/instruments.c', QUANTITY_COUNT='CHANNEL_QUANTITIES')
r('hil/instruments/instruments_resolve.c', QUANTITY_COUNT='CHANNEL_QUANTITIES')
r('io/net/outbox.c', READ_BYTES='LINGER_READ_BYTES')
r('io/yaml/schema.c', number_text='expected_number_text')
r('hydro/radiated_waves.c', FEWEST='FEWEST_WAVES')
r('io/wire/client_socket.c', RENEW_MS='RECONNECT_MS')
EDITS['io/wire/telemetry_reader.c'] = []
r('io/wire/telemetry_reader.c', FOLLOW_MS='TELEMETRY_FOLLOW_MS')
R['io/log/snapshots.c'].update(SLOTS='ORDER_SLOTS', STACK_BYTES='ORDER_STACK_BYTES', slot='order_slot')
r('io/log/log_check.c', keep_place='keep_log_place')
r('replay/publish.c', report='report_published')
r('serve/manager.c', report='report_order')
r('app/log_recover.c', report='report_recovery')
r('app/log_scene.c', report='report_scene_copy')
r('app/cmd_statics.c', report='report_statics')
r('view/scene/pipe.c', quantity='line_quantity')
r('view/server/player.c', seat='player_seat')
r('verify/rigid/dipoles.c', moments='MOMENTS')
r('verify/report/verify_report.c', number_text='print_number')
r('verify/pipe/ends.c', LEVELS='END_LEVELS')
r('verify/pipe/flight.c', LEVELS='FLIGHT_LEVELS')
r('verify/pipe/waves.c', ELEMENTS='WAVE_ELEMENTS')
r('verify/pipe/invariance.c', STEPS='TURNED_STEPS')
r('verify/sea/water.c', ELEMENTS='WATER_ELEMENTS')
r('verify/rigid/one_second.c', LEVELS='ONE_SECOND_LEVELS', METHODS='ONE_SECOND_METHODS')
r('verify/rigid/perturbed_top.c', STEPS='PERTURBED_STEPS')
TABLE_NAMES = {('io/config/dp/dp_section_consequence.c', 'GROUPS'): 'CONSEQUENCE_KEY_GROUPS'}
r('hil/instruments/instruments.c', QUANTITY_COUNT='CHANNEL_QUANTITIES')
R['hil/instruments/instruments_resolve.c'].pop('QUANTITY_COUNT', 0)
r('io/net/publisher.c', LISTENER_SLOT='SUBSCRIBER_LISTENER')
r('verify/rivals/explicit.c', I='INTEGRAL')
r('io/wire/client_socket.c', RENEW_MS='NEXT_SOCKET_MS')
