import { beforeAll, describe, expect, it } from 'vitest';
import { type CelEngine, CelLoader } from './cel-engine.ts';

let engine: CelEngine;

beforeAll(async () => {
  engine = await new CelLoader().load();
});

const truths = [
  'self.find("[0-9]+") == "12"',
  'self.findAll("[0-9]") == ["1", "2"]',
  '[1, 2, 3].isSorted() && ![2, 1].isSorted()',
  '[1, 2, 3].sum() == 6 && [3, 1].min() == 1 && [3, 1].max() == 3',
  '["a", "b", "a"].indexOf("a") == 0 && ["a", "b", "a"].lastIndexOf("a") == 2',
  'quantity("1Gi").isGreaterThan(quantity("1G"))',
  'quantity("500m").add(quantity("1500m")) == quantity("2")',
  'isQuantity("1.5Ki") && !isQuantity("1K5")',
  'quantity("50k").asInteger() == 50000 && quantity("5").sign() == 1',
  'url("https://example.com:8080/a?b=c").getHostname() == "example.com"',
  'isURL("http://x/y") && !isURL("x y")',
  'ip("10.0.0.1").family() == 4 && ip("::1").isLoopback() && !isIP("10.0.0")',
  'cidr("10.0.0.0/8").containsIP("10.2.3.4") && cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")',
  '!format.dns1123Label().validate("ok-1").hasValue()',
  'format.dns1123Label().validate("Not_Ok").hasValue()',
  '"a,b".split(",") == ["a", "b"] && "x".replace("x", "y") == "y"',
  '["a", "b"].join("-") == "a-b" && "AbC".lowerAscii() == "abc"',
  '"%s has %d".format(["x", 2]) == "x has 2"',
  'optional.of(1).hasValue() && optional.none().orValue(3) == 3',
  'semver("1.2.3").isLessThan(semver("1.10.0")) && isSemver("1.0.0-rc.1")',
  'sets.contains([1, 2, 3], [2, 3]) && sets.intersects([1], [1, 2]) && sets.equivalent([1, 2], [2, 1])',
];

describe("Kubernetes' CEL library", () => {
  for (const rule of truths) {
    it(`holds that ${rule}`, () => {
      expect(engine.compile(rule, false).run('a12', undefined)).toBe(true);
    });
  }

  it('knows which rules are about a transition', () => {
    expect(engine.compile('self == oldSelf', false).usesOldSelf).toBe(true);
    expect(engine.compile('self == "oldSelf"', false).usesOldSelf).toBe(false);
  });

  it('refuses what is no expression', () => {
    expect(() => engine.compile('self +', false)).toThrow();
  });
});
