import { lintToolRequest, pathFault, type ToolRequest, toolMethods } from '@mortise/providers/tool-requests'
import { type AgentTool, type AgentToolResult, agentConfirmations, isReadOnlyTool } from '../agent-tool.ts'
import { type Fields, readFields } from '../fields.ts'
import type { AgentObject, ReadIntegration } from '../manifest.ts'
import { present } from '../present.ts'
import type { RuleId } from '../rule-table.ts'
import { type Located, quote } from '../source/located.ts'
import { placeIn, plainValue } from '../source/plain-value.ts'
import { actionToolName, builtInTools } from '../tool-name.ts'
import type { Scope } from './scope.ts'
import { type KnownArguments, readToolSchema } from './tool-schema.ts'
import { toolVariables } from './tool-variables.ts'

const toolKeys = ['name', 'description', 'inputSchema', 'request', 'result', 'readOnly', 'confirm', 'dryRun']
const requestKeys = ['method', 'path', 'query', 'headers', 'body', 'encoding']
const resultKeys = ['path', 'fields', 'hiddenFields', 'maskedFields']
const unknownKey: RuleId = 'agent-unknown-key'
const toolsMax = 100
const descriptionLengthMax = 1_000

interface Others {
  objects: readonly AgentObject[]
  read: ReadIntegration | undefined
}

/** Tools that the builder declares, below `agent` of an integration. */
export function readTools(scope: Scope, fields: Fields, { objects, read }: Others): AgentTool[] | undefined {
  const { report } = scope
  const list = fields.list('tools')
  if (list === undefined) return undefined
  if (list.items.length === 0 || list.items.length > toolsMax)
    report('agent-tools-number', fields.at('tools'), {
      message: list.items.length === 0 ? '`tools` is empty.' : `\`tools\` has more than ${toolsMax} tools.`,
      suggestion: 'Models choose better among few tools. Without a tool, remove the key.',
    })
  const taken = new Set<string>(builtInTools)
  for (const { objectName, actions } of objects) {
    const label = read?.objects.find((one) => one.objectName === objectName)?.mapToName ?? objectName
    for (const action of actions) taken.add(actionToolName(action, label))
  }
  return list.items.slice(0, toolsMax).flatMap((item): AgentTool[] => {
    const tool = readFields(report, item, toolKeys, unknownKey)
    return tool ? [readTool(scope, tool, item, taken)] : []
  })
}

function readTool(scope: Scope, fields: Fields, item: Located, taken: Set<string>): AgentTool {
  const { report } = scope
  const name = readName(scope, fields, taken)
  const description = fields.requiredText('description', 'agent-tool-description', 'A tool')
  if (description.length > descriptionLengthMax)
    report('agent-tool-description', fields.at('description'), {
      message: `\`description\` is longer than ${descriptionLengthMax} characters.`,
      suggestion: 'Shorten it: models read it with each request.',
    })
  const declared = valueBelow(item, 'inputSchema')
  const { schema: inputSchema, known } = declared ? readToolSchema(scope, declared) : {}
  const request = readRequest(scope, fields, valueBelow(item, 'request'), known)
  const tool: AgentTool = present({
    name,
    description,
    inputSchema,
    request,
    result: readResult(scope, fields),
    readOnly: fields.flag('readOnly'),
    confirm: fields.oneOf('confirm', agentConfirmations, 'agent-confirm-value'),
    dryRun: fields.flag('dryRun'),
  })
  checkReadOnly(scope, fields, tool)
  return tool
}

function readName({ report }: Scope, fields: Fields, taken: Set<string>): string {
  const name = fields.requiredText('name', 'agent-tool-name', 'A tool')
  if (name === '') return name
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    report('agent-tool-name', fields.at('name'), {
      message: `The name ${quote(name)} is not one that model APIs take.`,
      suggestion: 'Use 1 to 64 letters, digits, `-` or `_`.',
      value: name,
    })
  else if (taken.has(name))
    report('agent-tool-name-taken', fields.at('name'), {
      message: `There is another tool of the name ${quote(name)}.`,
      suggestion: 'Choose another name. Actions of `objects` and Mortise itself have tools, too.',
      value: name,
    })
  taken.add(name)
  return name
}

/** Returns a value below a mapping, whatever the upper and lower case of its key; undefined for none. */
function valueBelow(map: Located, key: string): Located | undefined {
  if (map.kind !== 'map') return undefined
  const value = map.entries.find((entry) => entry.key.toLowerCase() === key.toLowerCase())?.value
  return value?.kind === 'scalar' && value.value === null ? undefined : value
}

/**
 * Reports what is wrong with a request even if the schema has errors, too: all errors of a tool are in one answer.
 *
 * @param known what is known of the arguments; undefined for a tool without arguments
 */
function readRequest(
  scope: Scope,
  tool: Fields,
  located: Located | undefined,
  known: KnownArguments | undefined,
): ToolRequest {
  const { report } = scope
  const fields = located && readFields(report, located, requestKeys, unknownKey)
  if (located === undefined)
    report('agent-tool-request', tool.at('request'), {
      message: 'A tool has no request.',
      suggestion: 'Write `request: { method: GET, path: /contacts/{{arguments.id}} }`, for example.',
    })
  if (located === undefined || fields === undefined) return { path: '' }
  const body = valueBelow(located, 'body')
  const request: ToolRequest = present({
    method: fields.oneOf('method', toolMethods, 'agent-tool-request'),
    path: fields.requiredText('path', 'agent-tool-request', 'A request'),
    query: readValues(scope, valueBelow(located, 'query'), true) as ToolRequest['query'],
    headers: readValues(scope, valueBelow(located, 'headers'), false) as ToolRequest['headers'],
    body: body && plainValue(body),
    encoding: fields.oneOf('encoding', ['form'], 'agent-tool-request'),
  })
  const rules = { request: 'agent-tool-request', template: 'agent-tool-template', header: 'agent-tool-header' } as const
  // A wrong method was reported: it says nothing about the body.
  const method = request.method ?? (fields.has('method') ? 'POST' : 'GET')
  for (const { kind, path, message } of lintToolRequest({ ...request, method }, toolVariables(known)))
    report(rules[kind], placeIn(located, path), {
      message: `The request is not possible: ${message}.`,
      suggestion: 'See “Your own tools” in the guide to tools.',
    })
  return request
}

/** Returns texts by name; numbers, booleans and lists too where they are `plain`. A wrong one is an empty text. */
function readValues({ report }: Scope, located: Located | undefined, plain: boolean): unknown {
  if (located === undefined) return undefined
  const isGood = (value: unknown): boolean =>
    typeof value === 'string' || (plain && (typeof value === 'number' || typeof value === 'boolean'))
  if (located.kind === 'map') {
    const wrong = located.entries.filter(({ value: one }) => {
      const items = plain && one.kind === 'list' ? one.items.map(plainValue) : [plainValue(one)]
      return !items.every(isGood)
    })
    for (const { key, value: one } of wrong)
      report('agent-tool-request', one.place, {
        message: `${quote(key)} is not ${plain ? 'a text, number, boolean or a list of them' : 'a text'}.`,
        suggestion: 'Write a value, or a template such as `"{{arguments.id}}"` in quotes.',
      })
    // The names of wrong ones are checked, too.
    return Object.fromEntries(
      located.entries.map((entry) => [entry.key, wrong.includes(entry) ? '' : plainValue(entry.value)]),
    )
  }
  report('agent-tool-request', located.place, {
    message: 'It has to be a mapping of names and values.',
    suggestion: 'Write `name: value` below it.',
  })
  return undefined
}

function readResult({ report }: Scope, tool: Fields): AgentToolResult | undefined {
  const fields = tool.map('result', resultKeys, unknownKey)
  if (fields === undefined) return undefined
  const path = fields.text('path')
  const fault = path === undefined ? undefined : pathFault(path)
  if (fault !== undefined)
    report('agent-tool-result', fields.at('path'), {
      message: `${quote(path ?? '')} ${fault}.`,
      suggestion: 'Write the names from the outside in, such as `data.items`.',
    })
  const names = (key: string): string[] | undefined => {
    const texts = fields.texts(key)?.map(({ text }) => text)
    if (texts?.length === 0)
      report('agent-rule-empty', fields.at(key), {
        message: `\`${key}\` is empty.`,
        suggestion: 'Add an item, or remove the key.',
      })
    return texts
  }
  return present({
    path,
    fields: names('fields'),
    hiddenFields: names('hiddenFields'),
    maskedFields: names('maskedFields'),
  })
}

function checkReadOnly({ report }: Scope, fields: Fields, tool: AgentTool): void {
  const { method = 'GET' } = tool.request
  if (tool.readOnly === true && !['GET', 'HEAD', 'POST'].includes(method))
    report('agent-tool-read-only', fields.at('readOnly'), {
      message: `A request with ${method} changes something.`,
      suggestion: 'Remove `readOnly`.',
    })
  if (!isReadOnlyTool(tool)) return
  for (const key of ['confirm', 'dryRun'] as const)
    if (tool[key] !== undefined)
      report('agent-tool-read-only', fields.at(key), {
        message: `\`${key}\` has no effect: the tool only reads.`,
        suggestion: 'Remove it. If a GET request changes something, write `readOnly: false`.',
      })
}
