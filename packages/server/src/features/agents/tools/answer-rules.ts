import type { AgentIntegration } from '@mortise/manifest'
import type { InstallationRecord } from '../../integrations/installations/index.ts'
import { type FieldRules, fieldRules, fieldsNamed } from './field-rules.ts'
import { toolObject } from './tool-fields.ts'

/** Rules that a tool has for itself. */
interface OwnRules {
  hiddenFields?: readonly string[]
  maskedFields?: readonly string[]
}

/**
 * Returns the rules for an answer whose object is not known; undefined if there are none. It can have fields
 * of any object of the integration, so what is hidden or masked in one of them is so here.
 */
export function answerRules(
  agent: AgentIntegration,
  installation: InstallationRecord,
  { hiddenFields: hidden = [], maskedFields: masked = [] }: OwnRules,
): FieldRules | undefined {
  const hiddenFields = [...hidden, ...names(agent, installation, 'hiddenFields')]
  const maskedFields = [...masked, ...names(agent, installation, 'maskedFields')]
  if (hiddenFields.length + maskedFields.length === 0) return undefined
  return fieldRules({ objectName: '', actions: [], hiddenFields, maskedFields }, [])
}

/** Names of fields in rules of all objects: as the manifest has them, and the provider's that they stand for. */
function names(
  { objects }: AgentIntegration,
  installation: InstallationRecord,
  rule: 'hiddenFields' | 'maskedFields',
): string[] {
  return objects.flatMap((object) => {
    const ruled = object[rule] ?? []
    if (ruled.length === 0) return []
    const { named } = toolObject(installation, object)
    return ruled.flatMap((name) => [name, ...fieldsNamed(name, named)])
  })
}
