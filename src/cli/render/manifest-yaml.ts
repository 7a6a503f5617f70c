import type { Manifest } from '../../operator/rbac-manifests.ts';

/** Manifests as one YAML stream for `kubectl apply -f -`, the reason of each rule as a comment above it. */
export async function manifestYaml(manifests: readonly Manifest[]): Promise<string> {
  const { Document, isMap, isSeq } = await import('yaml');
  const texts = manifests.map(({ object, reasons = [] }) => {
    const document = new Document(object, { aliasDuplicateObjects: false });
    const rules = document.get('rules');
    if (isSeq(rules)) {
      for (const [i, rule] of rules.items.entries()) {
        if (!isMap(rule)) continue;
        if (reasons[i]) rule.commentBefore = ` ${reasons[i]}`;
        for (const { value } of rule.items) if (isSeq(value)) value.flow = true;
      }
    }
    return document.toString({ lineWidth: 0, flowCollectionPadding: false });
  });
  return texts.join('---\n');
}
