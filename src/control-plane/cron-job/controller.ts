import { type ControllerSpec, type ReconcileResult, watch } from '../../kube/controller.ts';
import { isAlreadyExists, isNotFound } from '../../kube/errors.ts';
import type { CronJob, Job } from '../../kube/objects.ts';
import { CronJobs, Jobs } from '../../kube/resources.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { type Controlled, controlledBy } from '../indexes.ts';
import { toController } from '../owner-keys.ts';
import type { Recorder } from '../recorder.ts';
import { isNamespaceTerminating, textOf } from '../writes/pod-control.ts';
import { writeStatus } from '../writes/write-status.ts';
import { type CronJobPlan, planCronJob } from './plan.ts';

/** Starts Jobs when their CronJob's schedule says. */
export function cronJobController(deps: ControlPlaneDeps): ControllerSpec {
  const reconciler = new CronJobReconciler(deps);
  return {
    name: 'cronjob',
    watches: [watch(CronJobs), watch(Jobs, toController('CronJob'))],
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}

class CronJobReconciler {
  readonly #deps: ControlPlaneDeps;
  readonly #recorder: Recorder;
  readonly #jobsOf: Controlled<Job>;

  constructor(deps: ControlPlaneDeps) {
    this.#deps = deps;
    this.#recorder = deps.recorderFor('cronjob-controller', CronJobs);
    this.#jobsOf = controlledBy(deps.informers.for(Jobs));
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { client, informers, clock } = this.#deps;
    const cronJob = informers.reader(CronJobs).get(key);
    if (cronJob === undefined) return undefined;
    const plan = planCronJob(cronJob, this.#jobsOf.of(cronJob), clock.now());
    for (const event of plan.events) this.#recorder.event(cronJob, event);
    await this.#remove(cronJob, plan, signal);
    // The Job's name tells its time, so one that dies in between starts it neither twice nor never.
    if (plan.create) await this.#create(cronJob, plan.create, signal);
    await writeStatus(client, CronJobs, cronJob, plan.status, signal);
    return plan.again === undefined ? undefined : { requeueAfter: plan.again };
  }

  async #remove(cronJob: CronJob, { remove }: CronJobPlan, signal: AbortSignal): Promise<void> {
    for (const { metadata } of remove) {
      const { name, namespace, uid } = metadata;
      const options = { propagationPolicy: 'Background', preconditions: { uid } } as const;
      try {
        await this.#deps.client.delete(Jobs, { name, namespace }, options, signal);
        this.#recorder.event(cronJob, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted job ${name}` });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }

  async #create(cronJob: CronJob, job: Job, signal: AbortSignal): Promise<void> {
    try {
      await this.#deps.client.create(Jobs, job, {}, signal);
      const message = `Created job ${job.metadata.name}`;
      this.#recorder.event(cronJob, { type: 'Normal', reason: 'SuccessfulCreate', message });
    } catch (error) {
      if (isAlreadyExists(error) || isNamespaceTerminating(error)) return;
      const message = `Error creating job: ${textOf(error)}`;
      this.#recorder.event(cronJob, { type: 'Warning', reason: 'FailedCreate', message });
      throw error;
    }
  }
}
