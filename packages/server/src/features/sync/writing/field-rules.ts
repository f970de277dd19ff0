import type { WriteType } from '@mortise/providers'
import type { WriteConfigObject } from '../../integrations/installations/index.ts'
import { pathOf, setAt, take, valueAt } from './nested-fields.ts'
import type { WriteMapping } from './write-mapping.ts'

/** What the config of an installation says of one field that is written (contract 3.14, 6.5). */
interface FieldRule {
  /** As the config has it: mapped, or the provider's. */
  name: string
  /** Provider field. */
  field: string
  path: string[]
  default: unknown
  write: 'always' | 'never' | 'ifEmpty'
}

/** What rules found in a record. */
export interface Ruled {
  /** Fields that are written only where nothing is. */
  ifEmpty: string[]
  /** Names, as the config has them, of what was there and is not written. */
  dropped: string[]
}

/** Applies the rules of a config to a record of provider names, in place. */
export function fieldRules(
  config: WriteConfigObject,
  { fields }: WriteMapping,
  type: WriteType,
): (record: Record<string, unknown>) => Ruled {
  const rules = type === 'delete' ? [] : rulesOf(config, type)
  const resolved = rules.map((rule): FieldRule => {
    const field = fields.get(rule.name) ?? rule.name
    return { field, path: pathOf(field), ...rule }
  })
  return (record) => {
    const dropped: string[] = []
    for (const { name, path, write, default: value } of resolved) {
      if (write === 'never') {
        if (take(record, path) !== undefined) dropped.push(name)
      } else if (value !== undefined && valueAt(record, path) === undefined) setAt(record, path, value)
    }
    const ifEmpty = resolved
      .filter(({ write, path }) => write === 'ifEmpty' && valueAt(record, path) !== undefined)
      .map(({ field }) => field)
    return { ifEmpty, dropped }
  }
}

/** The newer settings win over the deprecated ones of the same field. */
function rulesOf(
  { selectedFieldSettings = {}, selectedValueDefaults = {} }: WriteConfigObject,
  type: 'create' | 'update',
): { name: string; default: unknown; write: FieldRule['write'] }[] {
  const legacy = Object.entries(selectedValueDefaults)
    .filter(([name]) => !Object.hasOwn(selectedFieldSettings, name))
    .map(([name, setting]) => ({ name, default: legacyDefault(setting, type), write: 'always' as const }))
  const settings = Object.entries(selectedFieldSettings).map(([name, setting]) => {
    const { stringValue, integerValue, booleanValue } = setting.default ?? {}
    const write = type === 'create' ? setting.writeOnCreate : setting.writeOnUpdate
    return { name, default: stringValue ?? integerValue ?? booleanValue, write: write ?? ('always' as const) }
  })
  return [...legacy, ...settings]
}

/** `{value, applyOnUpdate}`, or the bare value of old. */
function legacyDefault(setting: unknown, type: 'create' | 'update'): unknown {
  const { value, applyOnUpdate } =
    typeof setting === 'object' && setting !== null
      ? (setting as { value?: unknown; applyOnUpdate?: unknown })
      : { value: setting, applyOnUpdate: undefined }
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value)
  return isPlain && !(type === 'update' && applyOnUpdate === 'never') ? value : undefined
}
