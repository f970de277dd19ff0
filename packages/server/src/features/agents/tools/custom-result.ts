import { pathNames } from '@mortise/providers'
import type { InstallationRecord } from '../../integrations/installations/index.ts'
import { answerRules } from './answer-rules.ts'
import type { CustomTool } from './declared-tools.ts'
import { pathOf } from './field-rules.ts'
import { keptFields } from './kept-fields.ts'
import { shortenedValue, sizeOf } from './shown-record.ts'
import { dataNote, limitsOf, type ToolOutcome } from './tool-call.ts'

/** What a result has besides its value. */
const frameBytes = 1_000

/**
 * Returns what an agent gets of an answer: the fields to keep, without those that a rule of the integration or of the
 * tool hides, and as much as fits.
 *
 * @param answer undefined for a success without a body
 */
export function customOutcome(tool: CustomTool, installation: InstallationRecord, answer: unknown): ToolOutcome {
  const done = tool.isWrite ? { done: 'call' } : {}
  if (answer === undefined)
    return { content: { ...done, message: 'Done. The answer has no content.' }, summary: 'done' }
  const { recordsPerCall, resultBytes } = limitsOf(tool)
  const { provider } = installation
  const rules = answerRules(tool.agent, installation, tool.custom.result ?? {})
  const at = pathNames(tool.custom.result?.path ?? '') ?? []
  const kept = keptFields(tool.custom.result?.fields?.map(pathOf))
  const shown = (value: unknown) => {
    const visible = kept(value)
    return (rules ? rules.shown(visible, at) : visible) ?? null
  }
  const bytesMax = resultBytes - frameBytes
  if (!Array.isArray(answer)) {
    const result = shortenedValue(shown(answer), bytesMax)
    return { content: { ...done, providerData: { provider, result }, note: dataNote }, summary: 'done' }
  }
  const result: unknown[] = []
  let bytes = 0
  for (const item of answer.slice(0, recordsPerCall)) {
    const visible = shortenedValue(shown(item), bytesMax)
    bytes += sizeOf(visible) + 1
    if (result.length > 0 && bytes > bytesMax) break
    result.push(visible)
  }
  const omitted = answer.length - result.length
  return {
    content: {
      ...done,
      providerData: { provider, result },
      ...(omitted > 0 && {
        omitted,
        message: `The answer has ${omitted} more items. Ask for fewer, or for the next ones.`,
      }),
      note: dataNote,
    },
    summary: result.length === 1 ? '1 item' : `${result.length} items`,
    details: { items: `${result.length}` },
  }
}
