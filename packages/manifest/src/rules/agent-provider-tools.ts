import { agentConfirmations } from '../agent-tool.ts'
import { type Fields, readFields } from '../fields.ts'
import type { AgentProviderTool, AgentToolArgument } from '../manifest.ts'
import { present } from '../present.ts'
import type { RuleId } from '../rule-table.ts'
import { type Located, quote } from '../source/located.ts'
import type { IntegrationScope, Scope } from './scope.ts'

const toolKeys = [
  'toolName',
  'digest',
  'description',
  'readOnly',
  'arguments',
  'hiddenFields',
  'maskedFields',
  'confirm',
  'dryRun',
]
const unknownKey: RuleId = 'agent-unknown-key'
const descriptionLengthMax = 1_000
const digestForm = /^sha256:[0-9a-f]{64}$/

/**
 * The tools of the provider's MCP server that agents may call. Each is named: without wildcards, a server cannot add a
 * tool to the list. Each has the digest of the definition that the builder has read.
 */
export function readProviderTools(scope: IntegrationScope, fields: Fields): AgentProviderTool[] | undefined {
  const { report, entry, provider } = scope
  const list = fields.list('providerTools')
  if (list === undefined) return undefined
  if (list.items.length === 0) reportEmpty(scope, fields, 'providerTools')
  if (entry !== undefined && entry.mcp === undefined) {
    report('agent-provider-tools-support', fields.at('providerTools'), {
      message: `The provider file of ${quote(provider)} names no MCP server.`,
      suggestion: 'Add `mcp` to the provider file, or remove `providerTools`.',
    })
  }
  const seen = new Set<string>()
  return list.items.flatMap((item): AgentProviderTool[] => {
    const tool = readFields(report, item, toolKeys, unknownKey)
    return tool ? [readTool(scope, tool, seen)] : []
  })
}

function readTool(scope: Scope, fields: Fields, seen: Set<string>): AgentProviderTool {
  const { report } = scope
  const toolName = fields.requiredText('toolName', 'agent-provider-tool-name', 'A tool of `agent`')
  if (toolName !== '' && seen.has(toolName)) {
    report('duplicate-agent-provider-tool', fields.at('toolName'), {
      message: `The tool ${quote(toolName)} appears twice under \`providerTools\`.`,
      suggestion: 'Merge the two, or remove one.',
      value: toolName,
    })
  }
  seen.add(toolName)
  const digest = fields.requiredText('digest', 'agent-provider-tool-digest', 'A tool of `agent`')
  if (digest !== '' && !digestForm.test(digest)) {
    report('agent-provider-tool-digest', fields.at('digest'), {
      message: `${quote(digest)} is not the digest of a tool.`,
      suggestion: 'Copy it from `mortise provider test`: `sha256:` and 64 hexadecimal digits.',
      value: digest,
    })
  }
  const description = fields.text('description')
  if ((description ?? '').length > descriptionLengthMax) {
    report('wrong-type', fields.at('description'), {
      message: `\`description\` is longer than ${descriptionLengthMax} characters.`,
      suggestion: 'Shorten it: models read it with each request.',
    })
  }
  return present({
    toolName,
    digest,
    description,
    readOnly: fields.flag('readOnly'),
    arguments: readArguments(scope, fields),
    hiddenFields: textsOf(scope, fields, 'hiddenFields'),
    maskedFields: textsOf(scope, fields, 'maskedFields'),
    confirm: fields.oneOf('confirm', agentConfirmations, 'agent-confirm-value'),
    dryRun: fields.flag('dryRun'),
  })
}

function readArguments(scope: Scope, fields: Fields): AgentToolArgument[] | undefined {
  const { report } = scope
  const list = fields.list('arguments')
  if (list === undefined) return undefined
  if (list.items.length === 0) reportEmpty(scope, fields, 'arguments')
  const seen = new Set<string>()
  return list.items.flatMap((item: Located): AgentToolArgument[] => {
    const rule = readFields(report, item, ['argumentName', 'value', 'values', 'hidden'], unknownKey)
    if (rule === undefined) return []
    const argumentName = rule.requiredText('argumentName', 'agent-provider-tool-argument', 'A rule of an argument')
    if (argumentName !== '' && seen.has(argumentName)) {
      report('agent-provider-tool-argument', rule.at('argumentName'), {
        message: `The argument ${quote(argumentName)} has two rules.`,
        suggestion: 'Merge the two, or remove one.',
        value: argumentName,
      })
    }
    seen.add(argumentName)
    const value = rule.text('value')
    checkPlaceholders(scope, rule, value)
    const values = textsOf(scope, rule, 'values')
    const hidden = rule.flag('hidden')
    if ([value, values, hidden === true ? hidden : undefined].filter((one) => one !== undefined).length !== 1) {
      report('agent-provider-tool-argument', rule.place, {
        message: `The rule of the argument ${quote(argumentName)} needs one of \`value\`, \`values\` and \`hidden: true\`.`,
        suggestion: 'Keep one of them, or remove the rule.',
      })
    }
    return [present({ argumentName, value, values, hidden })]
  })
}

function checkPlaceholders({ report }: Scope, rule: Fields, value: string | undefined): void {
  const rest = (value ?? '').replaceAll('{{consumer}}', '').replaceAll('{{group}}', '')
  if (!rest.includes('{{') && !rest.includes('}}')) return
  report('agent-provider-tool-argument', rule.at('value'), {
    message: `The value ${quote(value ?? '')} has an unknown placeholder.`,
    suggestion: 'Placeholders are `{{consumer}}` and `{{group}}`.',
    value,
  })
}

function textsOf(scope: Scope, fields: Fields, key: string): string[] | undefined {
  const texts = fields.texts(key)?.map(({ text }) => text)
  if (texts?.length === 0) reportEmpty(scope, fields, key)
  return texts
}

function reportEmpty({ report }: Scope, fields: Fields, key: string): void {
  report('agent-rule-empty', fields.at(key), {
    message: `\`${key}\` is empty.`,
    suggestion: 'Add an item, or remove the key.',
  })
}
