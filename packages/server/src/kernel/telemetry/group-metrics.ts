import type { ProcessGroup } from '../processes/index.ts'
import type { Metrics } from './metrics.ts'

/** How long the other processes have to answer. One that is busy or starting is missing from the response. */
const answerMs = 1_000

interface Answer {
  id: number
  text: string
}

/**
 * Returns a function that collects the metrics of all processes of the service. Each sample has the label `process`. A
 * sum would be wrong after a process was started again: its counters begin at 0, and a sum that falls looks like a
 * restart of all.
 */
export function createGroupMetrics(
  { registry }: Pick<Metrics, 'registry'>,
  group?: ProcessGroup,
): () => Promise<string> {
  if (!group) return () => registry.metrics()
  registry.setDefaultLabels({ process: String(group.number) })
  const waiting = new Map<number, (text: string) => void>()
  let nextId = 0
  group.follow('metrics.get', async (message, from) => {
    const answer: Answer = { id: (message as { id: number }).id, text: await registry.metrics() }
    group.send('metrics.text', answer, from)
  })
  group.follow('metrics.text', (message) => {
    const { id, text } = message as Answer
    waiting.get(id)?.(text)
  })
  return async () => {
    const id = nextId++
    const texts: string[] = []
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, answerMs)
      waiting.set(id, (text) => {
        if (texts.push(text) < group.count - 1) return
        clearTimeout(timer)
        resolve()
      })
      group.send('metrics.get', { id })
    })
    waiting.delete(id)
    return mergeMetrics([await registry.metrics(), ...texts])
  }
}

/** Merges texts of the same metrics: all samples of a metric follow its one description, as the format demands. */
export function mergeMetrics(texts: string[]): string {
  const heads = new Map<string, string>()
  const samples = new Map<string, string[]>()
  for (const text of texts) {
    let name = ''
    for (const line of text.split('\n')) {
      const [, kind, described] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? []
      if (kind === 'HELP') name = described ?? ''
      if (kind !== undefined) {
        if (!(heads.get(name) ?? '').includes(line)) heads.set(name, `${heads.get(name) ?? ''}${line}\n`)
      } else if (line !== '') samples.set(name, [...(samples.get(name) ?? []), line])
    }
  }
  return [...heads].map(([name, head]) => `${head}${(samples.get(name) ?? []).join('\n')}\n`).join('\n')
}
