import { expect, it } from 'vitest'
import { createTestGroup } from '../processes/process-group.testkit.ts'
import { createGroupMetrics } from './group-metrics.ts'
import { createMetrics } from './metrics.ts'

it('has the metrics of all processes, each sample with its process, below one description', async () => {
  const processes = createTestGroup(3).map((group) => {
    const metrics = createMetrics()
    metrics.recordsRead.inc({ kind: 'backfill' }, group.number * 10)
    metrics.proxied.labels({ provider: 'hubspot', status: '2xx' }).add(group.number)
    return createGroupMetrics(metrics, group)
  })
  const text = (await processes[1]?.()) ?? ''
  const lines = text.split('\n')
  const about = (name: string) => lines.filter((line) => line.includes(name))
  expect(about('mortise_records_read_total').toSorted()).toEqual([
    '# HELP mortise_records_read_total Records read from providers and committed, by kind of read.',
    '# TYPE mortise_records_read_total counter',
    'mortise_records_read_total{kind="backfill",process="1"} 10',
    'mortise_records_read_total{kind="backfill",process="2"} 20',
    'mortise_records_read_total{kind="backfill",process="3"} 30',
  ])
  expect(about('mortise_proxied_requests_total{')).toHaveLength(3)
  // The format demands that all lines of a metric follow each other.
  const named = lines.flatMap((line) => /^# HELP (\S+)/.exec(line)?.[1] ?? [])
  expect(new Set(named).size).toBe(named.length)
  expect(about('process_resident_memory_bytes{')).toHaveLength(3)
})

it('of one process has no label', async () => {
  const metrics = createMetrics()
  metrics.recordsRead.inc({ kind: 'backfill' })
  expect(await createGroupMetrics(metrics)()).toContain('mortise_records_read_total{kind="backfill"} 1\n')
})
