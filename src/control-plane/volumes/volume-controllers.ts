import type { ControllerSpec } from '../../kube/controller.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { attachController } from './attach-controller.ts';
import { claimController } from './claim-controller.ts';
import { ephemeralClaimController } from './ephemeral-claim-controller.ts';
import { claimProtectionController, volumeProtectionController } from './protection-controllers.ts';
import { volumeController } from './volume-controller.ts';

/** Everything that claims and volumes need: binding, making, attaching, reclaiming, and protection while in use. */
export const volumeControllers = (deps: ControlPlaneDeps): readonly ControllerSpec[] => [
  claimController(deps),
  volumeController(deps),
  attachController(deps),
  claimProtectionController(deps),
  volumeProtectionController(deps),
  ephemeralClaimController(deps),
];
