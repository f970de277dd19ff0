import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createMetrics } from '../packages/server/src/kernel/telemetry/metrics.ts'

/** The table of metrics in docs/deployment.md against what the service registers, in both directions. */
it('docs/deployment.md lists every metric, and no other', async () => {
  const page = await readFile(new URL('../docs/deployment.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| `(mortise_\w+)` \|/gm)].map(([, name]) => name)
  const registered = createMetrics()
    .registry.getMetricsAsArray()
    .map(({ name }) => name)
  expect(documented.toSorted()).toEqual(registered.filter((name) => name.startsWith('mortise_')).toSorted())
})
