/**
 * Karpenter's controller as a whole. `JsonLogger`, `PromMetrics` and `startEndpoints` are left out here: they load heavy
 * packages, so import their files where they are needed.
 */
export { RealClock } from './clock.ts';
export { LeadershipLostError } from './leader-election.ts';
export { Operator, type OperatorDeps } from './operator.ts';
export { DEFAULT_FEATURE_GATES, DEFAULT_OPTIONS, type FeatureGates, type OperatorOptions } from './options.ts';
export { OptionError, parseOptions } from './parse-options.ts';
export { CryptoRandom, SeededRandom } from './random.ts';
