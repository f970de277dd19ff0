import { agentConfirmations } from '../agent-tool.ts'
import { type Fields, readFields } from '../fields.ts'
import {
  type AgentAction,
  type AgentFilter,
  type AgentIntegration,
  type AgentObject,
  type AgentWriteAction,
  agentActions,
  type ReadIntegration,
  type WriteIntegration,
} from '../manifest.ts'
import { present } from '../present.ts'
import type { RuleId } from '../rule-table.ts'
import { quote } from '../source/located.ts'
import { readProviderTools } from './agent-provider-tools.ts'
import { readTools } from './agent-tools.ts'
import type { IntegrationScope, Scope } from './scope.ts'

export const agentKeys = ['objects', 'tools', 'providerTools', 'limits', 'approvalHours', 'dryRun']

const objectKeys = [
  'objectName',
  'actions',
  'description',
  'hiddenFields',
  'maskedFields',
  'readOnlyFields',
  'filters',
  'confirm',
  'dryRun',
]
const writeActions = ['create', 'update', 'delete'] as const
const unknownKey: RuleId = 'agent-unknown-key'
const descriptionLengthMax = 500

interface Declared {
  read: ReadIntegration | undefined
  write: WriteIntegration | undefined
}

/**
 * `agent` of an integration. It only protects what it spells out, so it is stricter than the rest: unknown keys and
 * empty lists are errors.
 */
export function readAgent(scope: IntegrationScope, fields: Fields, declared: Declared): AgentIntegration {
  const { report } = scope
  const list = fields.list('objects')
  const hasOther = fields.has('tools') || fields.has('providerTools')
  if (list === undefined ? !fields.has('objects') && !hasOther : list.items.length === 0) {
    report('agent-objects-required', fields.at('objects'), {
      message: '`agent` lists no objects.',
      suggestion: 'List at least one under `objects`, `tools` or `providerTools`, or remove `agent`.',
    })
  }
  const seen = new Set<string>()
  const objects = (list?.items ?? []).flatMap((item): AgentObject[] => {
    const object = readFields(report, item, objectKeys, unknownKey)
    return object ? [readObject(scope, object, declared, seen)] : []
  })
  const limits = fields.map('limits', ['callsPerMinute', 'recordsPerCall', 'resultBytes'], unknownKey)
  return present({
    objects,
    tools: readTools(scope, fields, { objects, read: declared.read }),
    providerTools: readProviderTools(scope, fields),
    limits:
      limits &&
      present({
        callsPerMinute: limits.integer('callsPerMinute', 'agent-limit-range', 1, 6_000),
        recordsPerCall: limits.integer('recordsPerCall', 'agent-limit-range', 1, 100),
        resultBytes: limits.integer('resultBytes', 'agent-limit-range', 2_000, 200_000),
      }),
    approvalHours: fields.integer('approvalHours', 'agent-limit-range', 1, 720),
    dryRun: fields.flag('dryRun'),
  })
}

function readObject(scope: Scope, fields: Fields, declared: Declared, seen: Set<string>): AgentObject {
  const { report } = scope
  const objectName = fields.requiredText('objectName', 'agent-object-name-required', 'An object of `agent`')
  if (objectName !== '' && seen.has(objectName)) {
    report('duplicate-agent-object', fields.at('objectName'), {
      message: `The object ${quote(objectName)} appears twice under \`agent\`.`,
      suggestion: 'Merge the two, or remove one.',
      value: objectName,
    })
  }
  seen.add(objectName)
  const description = fields.text('description')
  if ((description ?? '').length > descriptionLengthMax) {
    report('wrong-type', fields.at('description'), {
      message: `\`description\` is longer than ${descriptionLengthMax} characters.`,
      suggestion: 'Shorten it: models read it with each request.',
    })
  }
  const actions = readActions(scope, fields, objectName, declared)
  const fieldList = (key: string): string[] | undefined => {
    const names = fields.texts(key)?.map(({ text }) => text)
    if (names?.length === 0) reportEmpty(scope, fields, key)
    return names
  }
  return present({
    objectName,
    actions,
    description,
    hiddenFields: fieldList('hiddenFields'),
    maskedFields: fieldList('maskedFields'),
    readOnlyFields: fieldList('readOnlyFields'),
    filters: readFilters(scope, fields),
    confirm: readConfirm(scope, fields, actions),
    dryRun: fields.flag('dryRun'),
  })
}

function reportEmpty({ report }: Scope, fields: Fields, key: string): void {
  report('agent-rule-empty', fields.at(key), {
    message: `\`${key}\` is empty.`,
    suggestion: 'Add an item, or remove the key.',
  })
}

function readActions({ report }: Scope, fields: Fields, objectName: string, declared: Declared): AgentAction[] {
  const texts = fields.texts('actions')
  if (texts === undefined ? !fields.has('actions') : texts.length === 0) {
    report('agent-actions-required', fields.at('actions'), {
      message: 'An object of `agent` lists no actions.',
      suggestion: `Write \`actions: [search, get]\`, for example. Actions: ${agentActions.join(', ')}.`,
    })
  }
  const actions = new Set<AgentAction>()
  for (const { text, place } of texts ?? []) {
    const action = agentActions.find((one) => one === text)
    if (action === undefined) {
      report('agent-action-enum', place, {
        message: `${quote(text)} is not an action.`,
        suggestion: `Actions: ${agentActions.join(', ')}.`,
        value: text,
      })
      continue
    }
    const part = isWrite(action) ? 'write' : 'read'
    if (objectName !== '' && !declared[part]?.objects.some((object) => object.objectName === objectName)) {
      report('agent-action-declared', place, {
        message: `Agents cannot ${action} ${quote(objectName)}: it is not an object of \`${part}\`.`,
        suggestion: `Add it to \`${part}\`, or remove the action.`,
        value: action,
      })
    }
    actions.add(action)
  }
  return [...actions]
}

function isWrite(action: AgentAction): action is AgentWriteAction {
  return writeActions.some((one) => one === action)
}

function readFilters(scope: Scope, fields: Fields): AgentFilter[] | undefined {
  const { report } = scope
  const list = fields.list('filters')
  if (list === undefined) return undefined
  if (list.items.length === 0) reportEmpty(scope, fields, 'filters')
  return list.items.flatMap((item): AgentFilter[] => {
    const filter = readFields(report, item, ['fieldName', 'value'], unknownKey)
    if (filter === undefined) return []
    const fieldName = filter.requiredText('fieldName', 'agent-filter-field-required', 'A filter')
    const value = filter.requiredText('value', 'agent-filter-value', 'A filter')
    const rest = value.replaceAll('{{consumer}}', '').replaceAll('{{group}}', '')
    if (rest.includes('{{') || rest.includes('}}')) {
      report('agent-filter-value', filter.at('value'), {
        message: `The value ${quote(value)} has an unknown placeholder.`,
        suggestion: 'Placeholders are `{{consumer}}` and `{{group}}`.',
        value,
      })
    }
    return [{ fieldName, value }]
  })
}

function readConfirm(
  { report }: Scope,
  fields: Fields,
  actions: readonly AgentAction[],
): AgentObject['confirm'] | undefined {
  const confirm = fields.map('confirm', writeActions, unknownKey)
  if (confirm === undefined) return undefined
  const read = (action: AgentWriteAction) => {
    const value = confirm.oneOf(action, agentConfirmations, 'agent-confirm-value')
    if (value !== undefined && !actions.includes(action)) {
      report('agent-confirm-value', confirm.at(action), {
        message: `\`confirm\` names the action ${action}, which the object does not list.`,
        suggestion: `Add ${action} to \`actions\`, or remove it here.`,
      })
    }
    return value
  }
  return present({ create: read('create'), update: read('update'), delete: read('delete') })
}
