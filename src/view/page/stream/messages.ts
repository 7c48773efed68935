// The fields of Sagbend's messages that the page reads, as the decoder gives them (proto/sagbend/v1): a message that is absent is
// undefined, a 64-bit number is a bigint. The units are those of the protocol.

export interface Header {
  protocol: number;
  session: string;
  sequence: bigint;
  step: bigint;
  timeS: number;
}
export interface Headed {
  header?: Header;
}

export function timeOf(message: Headed | undefined): number {
  return message?.header?.timeS ?? 0;
}

export interface Wrench {
  surgeN: number;
  swayN: number;
  yawNm: number;
}

export interface ThrusterFeedback {
  name: string;
  running: boolean;
  ready: boolean;
  revolutionsRpm: number;
  pitch: number;
  azimuthRad: number;
  powerW: number;
}
export interface ThrusterTruth extends ThrusterFeedback {
  thrustN: number;
  movedCommands: bigint;
}
export interface BusTruth {
  name: string;
  closed: boolean;
  limited: boolean;
  availableW: number;
  usedW: number;
  limitedCount: bigint;
}

export interface Touchdown {
  northM: number;
  eastM: number;
  downM: number;
  arcLengthM: number;
  laybackM: number;
}
export interface PipeSensors {
  hangoffTensionN: number;
  hangoffAngleRad: number;
  touchdown?: Touchdown;
  maxCurvature1pm: number;
  maxCurvatureArcLengthM: number;
}
export interface Sensors extends Headed {
  commandState: number;
  commandSequence: bigint;
  pipe?: PipeSensors;
  thruster: ThrusterFeedback[];
  powerAvailableW: number;
  powerUsedW: number;
}

export interface Weather {
  windSpeedMps: number;
  windDirectionRad: number;
  windGustMps: number;
  waveElevationM: number;
  currentNorthMps: number;
  currentEastMps: number;
}
export interface TensionerState {
  mode: number; // in effect
  ordered: number;
  source: number; // of the order
  tensionSetN: number; // in effect; 0 unless the mode is tension
  speedSetMps: number; // of the tracks; 0 unless the mode is speed
  forceN: number;
  orderedTensionN: number;
  orderedSpeedMps: number;
}
export interface Utilisation {
  utilisation: number;
  arcLengthM: number;
}
export interface CodeCheck { // a check that does not apply is absent
  governing?: Utilisation;
  dcc?: Utilisation;
  strain?: Utilisation;
}
export interface Stinger {
  maxReactionN: number;
  tipReactionN: number;
  tipClearanceM: number;
  overbendStrain: number;
  supportReactionN: number[]; // from the hang-off towards the tip
}
export interface PipeTruth {
  hangoffNorthM: number;
  hangoffEastM: number;
  hangoffDownM: number;
  hangoffForceNorthN: number;
  hangoffForceEastN: number;
  hangoffForceDownN: number;
  maxMomentNm: number;
  hangoffTensionN: number; // 0 or absent: an older simulator
  maxCurvature1pm: number;
  paidOutM: number;
  payoutMps: number;
  retiredNodes: number;
  retiredNorthM: number; // the last of them
  retiredEastM: number;
  retiredDownM: number;
  tensioner?: TensionerState;
  codeCheck?: CodeCheck;
  stinger?: Stinger;
}
export interface Truth extends Headed {
  positionNorthM: number;
  positionEastM: number;
  positionDownM: number;
  quaternionW: number;
  quaternionX: number;
  quaternionY: number;
  quaternionZ: number;
  surgeMps: number;
  swayMps: number;
  yawRadps: number;
  appliedWrench?: Wrench;
  pipe?: PipeTruth;
  fault: boolean;
  thrusterWrench?: Wrench;
  thruster: ThrusterTruth[];
  bus: BusTruth[];
  weather?: Weather;
  target?: Setpoint;
  unsolvedSteps: bigint;
  unresolvedSteps: bigint;
}

export interface Nodes extends Headed {
  northM: number[];
  eastM: number[];
  downM: number[];
  effectiveTensionN: number[];
  bending2Nm: number[];
  bending3Nm: number[];
  curvature1pm: number[];
  penetrationM: number[];
  arcLengthM: number[]; // empty: an older simulator
  utilisation: number[]; // of buckling and collapse; empty: no code check
}

export type Work = Record<string, number>; // PortWork or Dissipation, by field
export interface Ledger extends Headed {
  energyJ: number;
  initialEnergyJ: number;
  kineticJ: number;
  totalWork?: Work;
  totalDissipation?: Work;
  totalResidualJ: number;
  maxTotalResidualJ: number;
  turnoverJ: number;
}

export interface Percentiles {
  lastUs: number;
  p50Us: number;
  p99Us: number;
  p999Us: number;
  maxUs: number;
}
export interface StageTime {
  stage: string;
  us: number;
}
export interface LateStep {
  step: bigint;
  timeS: number;
  lateUs: number;
  cause: string;
}
/** Times in buckets; those without a count are left out. */
export interface Histogram {
  count: bigint;
  upperUs: number[];
  counts: bigint[];
}
export interface Timing extends Headed {
  deadlineMisses: bigint;
  skippedPeriods: bigint;
  lagS: number;
  step?: Percentiles;
  wakeup?: Percentiles;
  droppedFrames: bigint;
  commandsAccepted: bigint;
  commandsRefused: bigint;
  worstLateStep?: LateStep;
  halts: bigint;
  rate: number;
  pauses: bigint;
  stage: StageTime[];
  stepHistogram?: Histogram;
  wakeupHistogram?: Histogram;
}

export interface ThrusterInfo {
  name: string;
  kind: number;
  drive: number;
  forwardM: number;
  starboardM: number;
  thrustMaxN: number;
  revolutionsMaxRpm: number;
  thrustAstern: number;
  forbidden: { fromRad: number; toRad: number; against: string }[];
}
export interface Setpoint {
  northM: number;
  eastM: number;
  headingRad: number;
}
/** A tensioner that follows orders. */
export interface TensionerInfo {
  tensionMaxN: number;
  speedMaxMps: number;
  gripN: number;
  brakeN: number;
  motorN: number;
  deadBandN: number;
}
export interface Welcome {
  name: string;
  mode: number;
  stepS: number;
  hasPipe: boolean;
  thruster: ThrusterInfo[];
  tensioner?: TensionerInfo;
}
export interface SeabedGrid {
  northM: number;
  eastM: number;
  spacingNorthM: number;
  spacingEastM: number;
  northNodes: number;
  eastNodes: number;
  downM: number[];
}
export interface SeabedInfo {
  northM: number;
  eastM: number;
  downM: number;
  slopeNorth: number;
  slopeEast: number;
  grid?: SeabedGrid;
}
export interface VerdictInfo {
  name: string;
  quantity: string;
  unit: string;
  lower: OneOf<"low">;
  upper: OneOf<"high">;
  fromS: number;
  toS: number;
  afterEvent: string;
  expectViolated: boolean;
}
export type OneOf<Name extends string> = { case: Name; value: number } | { case: undefined; value?: undefined };
export interface ViewLimits {
  curvature1pm: number; // 0: none, here and below
  momentNm: number;
  tensionN: number;
}
export interface PipeInfo {
  outerDiameterM: number;
  arcLengthM: number[];
  layAzimuthRad: number;
  supportForwardM: number[]; // of a stinger: the axis of a pipe that just touches, body frame
  supportStarboardM: number[];
  supportDownM: number[];
}
export interface Session extends Headed {
  welcome?: Welcome;
  setpoint?: Setpoint;
  pipe?: PipeInfo;
  seabed?: SeabedInfo;
  outline: { forwardM: number; starboardM: number }[];
  verdict: VerdictInfo[];
  watchCircleM: number[];
  limits?: ViewLimits;
  version: string;
  durationS: number;
  startNorthM: number;
  startEastM: number;
  startHeadingRad: number;
}

export interface VerdictStatus {
  name: string;
  state: number;
  passes: boolean;
  present: OneOf<"value">;
  presentMargin: OneOf<"margin">;
  worst: OneOf<"worstValue">;
  leastMargin: OneOf<"worstMargin">;
  worstTimeS: number;
  violations: bigint;
  violatedTimeS: number;
}
export interface ActiveFault {
  name: string;
  kind: string;
  target: string;
  sinceS: number;
  pending: boolean;
}
export interface Station {
  state: number;
  commandState: number;
  offsetM: number;
  offsetForwardM: number;
  offsetStarboardM: number;
  headingErrorRad: number;
}
export interface Status extends Headed {
  name: string;
  mode: number;
  wallS: number;
  rate: number;
  durationS: number;
  pause?: { halted: boolean; why: string };
  setpoint?: Setpoint;
  peer: { name: string; inCommand: boolean }[];
  deadlineMisses: bigint;
  skippedPeriods: bigint;
  lagS: number;
  version: string;
  faultCount: bigint;
  station?: Station;
  verdict: VerdictStatus[];
  fault: ActiveFault[];
}

export interface ControllerView extends Headed {
  controller: string;
  inCommand: boolean;
  active: boolean;
  estimate?: { northM: number; eastM: number; headingRad: number };
  demanded?: Wrench;
  allocated?: Wrench;
  wind?: Wrench; // feed-forward
  deadReckoning: boolean;
  tensionLost: boolean;
  saturated: boolean;
  powerLimited: boolean;
  instrument: { name: string; kind: number; use: number }[];
  thruster: { name: string; use: number; thrustN: number; azimuthRad: number }[];
}

export interface Event extends Headed {
  name: string;
  text: string;
}
export interface End extends Headed {
  why: string;
}
