import type { EventStream } from '../../catalogue/format/stream.ts'
import { compilePattern } from '../pattern.ts'
import { parseTemplate, render } from '../template.ts'

/** Returns the topic of an object; undefined if it has none. */
export function topicOf({ topics }: EventStream, object: string): string | undefined {
  for (const { match, topic } of topics) {
    const result = match === undefined ? undefined : compilePattern(match).result(object)
    if (match !== undefined && result === undefined) continue
    return render(parseTemplate(topic), (name) => (name === 'object' ? object : result))
  }
  return undefined
}
