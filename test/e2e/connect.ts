import { HttpClient } from '../../src/kube/http-client.ts';
import { readKubeconfig } from '../../src/kube/kubeconfig.ts';
import { accessFromKubeconfig } from '../../src/kube/kubeconfig-access.ts';
import { RealClock } from '../../src/operator/clock.ts';

/** A client for the current context of a kubeconfig. */
export async function connect(kubeconfig: string): Promise<HttpClient> {
  const clock = new RealClock();
  const access = await accessFromKubeconfig(await readKubeconfig([kubeconfig], true), {}, clock);
  return new HttpClient({ access, clock, userAgent: 'e2e' });
}
