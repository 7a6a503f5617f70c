const PROVIDER_ID = /.*:\/\/\/.*\/(?<id>.*)/;

/** The id of the instance that a node or claim stands for. @throws when the provider id is not `aws:///<zone>/<id>`. */
export function instanceIdOf(providerID: string): string {
  const id = PROVIDER_ID.exec(providerID)?.groups?.id;
  if (id === undefined) throw new Error(`provider id does not match known format (provider-id=${providerID})`);
  return id;
}

export const providerIdOf = ({ zone, id }: { readonly zone: string; readonly id: string }): string =>
  `aws:///${zone}/${id}`;
