import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { generateText, jsonSchema, stepCountIs } from 'ai'
import OpenAI from 'openai'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { aiSdkTools } from './ai-sdk.ts'
import { anthropicTools, runAnthropicCalls } from './anthropic.ts'
import { createClient, MortiseProblem, MortiseUnreachable } from './index.ts'
import { openAiChatTools, openAiResponsesTools, runOpenAiChatCalls, runOpenAiResponsesCalls } from './openai.ts'

type Json = Record<string, unknown>
interface Seen {
  url: string
  body: Json
}

/** A server that answers with JSON, as the script says, and records requests. */
async function server(answer: (request: Seen) => { status?: number; body: unknown }) {
  const seen: Seen[] = []
  const started = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const one = { url: request.url!, body: text === '' ? {} : (JSON.parse(text) as Json) }
    seen.push(one)
    const { status = 200, body } = answer(one)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    started.closeAllConnections()
    await new Promise((resolve) => started.close(resolve))
  })
  return { seen, baseURL: `http://127.0.0.1:${(started.address() as AddressInfo).port}` }
}

const inputSchema = {
  type: 'object',
  properties: { id: { type: 'string' }, stage: { type: ['string', 'null'], enum: ['lead', null] } },
  required: ['id'],
  additionalProperties: false,
}
const problem = (status: number, code: string) => ({
  status,
  body: { title: code, detail: `The problem is ${code}.`, status, context: { code }, issues: [] },
})
const found = { providerData: { provider: 'crm', record: { id: '7' } }, note: 'data' }
const refused = { error: { code: 'provider_refused', message: 'No.' } }
const user = { groupRef: 'acme', consumerRef: 'ada', agent: 'helper' }

/** A service with the tools `get_contacts` and `delete_contacts`, the second of which fails. */
async function service(failure?: { status: number; body: unknown }) {
  const mortise = await server(({ url }) => {
    if (failure) return failure
    if (url.includes('get_contacts:call')) return { body: { isError: false, content: found, operationId: 'op' } }
    if (url.includes('delete_contacts:call')) return { body: { isError: true, content: refused } }
    if (url.includes(':call')) return problem(404, 'tool-not-found')
    const tool = { description: 'Does it.', inputSchema, readOnly: true, needsApproval: false }
    return { body: ['get_contacts', 'delete_contacts'].map((name) => ({ name, ...tool })) }
  })
  const client = createClient({ baseUrl: mortise.baseURL, apiKey: 'mortise_test', project: 'shop', retries: 0 })
  return { ...mortise, client }
}

let calls: { id: string; name: string; args: string }[] = []
beforeEach(() => {
  calls = [
    { id: 'c1', name: 'get_contacts', args: '{"id":"7","stage":null}' },
    { id: 'c2', name: 'delete_contacts', args: '{"id":"7"}' },
    { id: 'c3', name: 'no_such_tool', args: '{}' },
    { id: 'c4', name: '../projects', args: '' },
    { id: 'c5', name: 'get_contacts', args: '{"id":' },
    { id: 'c6', name: 'get_contacts', args: '[1]' },
  ]
})
const outcomes = [
  undefined,
  'provider_refused',
  'tool_not_found',
  'tool_not_found',
  'arguments_refused',
  'arguments_refused',
]
const codeIn = (text: unknown) => (JSON.parse(String(text)) as { error?: { code: string } }).error?.code

test('tools and calls of chat.completions of the OpenAI SDK', async () => {
  const { client, seen } = await service()
  const model = await server(({ body }) => {
    const isSecond = (body['messages'] as Json[]).length > 1
    const tool_calls = calls.map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    }))
    const message = isSecond
      ? { role: 'assistant', content: 'Done.' }
      : { role: 'assistant', content: null, tool_calls }
    return { body: { id: 'x', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] } }
  })
  const openai = new OpenAI({ apiKey: 'test', baseURL: model.baseURL, maxRetries: 0 })
  const tools = await openAiChatTools(client, user)
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Find contact 7.' }]
  const first = await openai.chat.completions.create({ model: 'm', messages, tools })
  const { message } = first.choices[0]!
  const results = await runOpenAiChatCalls(client, user, message)
  const last = await openai.chat.completions.create({ model: 'm', messages: [...messages, message, ...results], tools })
  expect(last.choices[0]!.message.content).toBe('Done.')

  expect(model.seen[0]!.body['tools']).toContainEqual({
    type: 'function',
    function: { name: 'get_contacts', description: 'Does it.', parameters: inputSchema },
  })
  expect(seen[0]!.url).toBe('/v1/projects/shop/tools?groupRef=acme&consumerRef=ada')
  expect(seen.map(({ body }) => body)).toContainEqual({ ...user, arguments: { id: '7' } })
  expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(calls.map(({ id }) => id))
  expect(JSON.parse(results[0]!.content)).toEqual(found)
  expect(results.map(({ content }) => codeIn(content))).toEqual(outcomes)
  expect(await runOpenAiChatCalls(client, user, last.choices[0]!.message)).toEqual([])
})

test('tools and calls of responses of the OpenAI SDK', async () => {
  const { client } = await service()
  const model = await server(({ body }) => {
    const isSecond = (body['input'] as Json[]).length > 1
    const message = { type: 'message', id: 'm', role: 'assistant', status: 'completed' }
    const done = [{ ...message, content: [{ type: 'output_text', text: 'Done.', annotations: [] }] }]
    const output = isSecond
      ? done
      : [
          { type: 'reasoning', id: 'r', summary: [] },
          ...calls.map(({ id, name, args }) => ({ type: 'function_call', call_id: id, name, arguments: args })),
        ]
    return { body: { id: 'r', object: 'response', output } }
  })
  const openai = new OpenAI({ apiKey: 'test', baseURL: model.baseURL, maxRetries: 0 })
  const tools = await openAiResponsesTools(client, user)
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Find contact 7.' }]
  const first = await openai.responses.create({ model: 'm', input, tools })
  const results = await runOpenAiResponsesCalls(client, user, first)
  const items = first.output as OpenAI.Responses.ResponseInputItem[]
  const last = await openai.responses.create({ model: 'm', input: [...input, ...items, ...results], tools })
  expect(last.output_text).toBe('Done.')
  expect(model.seen[0]!.body['tools']).toContainEqual({
    type: 'function',
    name: 'get_contacts',
    description: 'Does it.',
    parameters: inputSchema,
    strict: false,
  })
  expect(results.map(({ call_id }) => call_id)).toEqual(calls.map(({ id }) => id))
  expect(results.map(({ output }) => codeIn(output))).toEqual(outcomes)
})

test('tools and calls of messages of the Anthropic SDK', async () => {
  const { client } = await service()
  const model = await server(({ body }) => {
    const isSecond = (body['messages'] as Json[]).length > 1
    const text = [{ type: 'text', text: 'Done.' }]
    const uses = calls.slice(0, 4).map(({ id, name, args }) => ({
      type: 'tool_use',
      id,
      name,
      input: args === '' ? {} : JSON.parse(args),
    }))
    const content = isSecond ? text : [{ type: 'text', text: 'I look.' }, ...uses]
    return { body: { id: 'x', type: 'message', role: 'assistant', content, stop_reason: 'tool_use', usage: {} } }
  })
  const anthropic = new Anthropic({ apiKey: 'test', baseURL: model.baseURL, maxRetries: 0 })
  const tools = await anthropicTools(client, user)
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Find contact 7.' }]
  const first = await anthropic.messages.create({ model: 'm', max_tokens: 100, messages, tools })
  const results = await runAnthropicCalls(client, user, first)
  const last = await anthropic.messages.create({
    model: 'm',
    max_tokens: 100,
    messages: [...messages, { role: 'assistant', content: first.content }, { role: 'user', content: results }],
    tools,
  })
  expect(last.content[0]).toMatchObject({ text: 'Done.' })
  expect(model.seen[0]!.body['tools']).toContainEqual({
    name: 'get_contacts',
    description: 'Does it.',
    input_schema: inputSchema,
  })
  expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual(['c1', 'c2', 'c3', 'c4'])
  expect(results.map(({ is_error }) => is_error)).toEqual([false, true, true, true])
  expect(results.map(({ content }) => codeIn(content))).toEqual(outcomes.slice(0, 4))
})

test('tools of the AI SDK run in its loop', async () => {
  const { client } = await service()
  const prompts: Json[][] = []
  const usage = { inputTokens: {}, outputTokens: {} } as never
  const model = {
    specificationVersion: 'v3' as const,
    provider: 'test',
    modelId: 'test',
    supportedUrls: {},
    async doGenerate({ prompt, tools }: { prompt: unknown; tools?: unknown }) {
      prompts.push([prompt as Json, tools as Json])
      const isFirst = prompts.length === 1
      const [first, second] = calls
      const toolCalls = [first!, second!].map(({ id, name, args }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: name,
        input: args,
      }))
      return {
        content: isFirst ? toolCalls : [{ type: 'text' as const, text: 'Done.' }],
        finishReason: { unified: isFirst ? ('tool-calls' as const) : ('stop' as const), raw: undefined },
        usage,
        warnings: [],
      }
    },
    doStream: () => Promise.reject(new Error('not used')),
  }
  const tools = await aiSdkTools(client, user, { jsonSchema })
  const { text, steps } = await generateText({ model, tools, prompt: 'Find contact 7.', stopWhen: stepCountIs(3) })
  expect(text).toBe('Done.')
  expect(prompts[0]![1]).toContainEqual(expect.objectContaining({ name: 'get_contacts', inputSchema }))
  expect(steps[0]!.toolResults.map(({ output }) => output)).toEqual([found, refused])
})

test('what a model can do nothing about is thrown', async () => {
  const refusedKey = await service(problem(401, 'unauthenticated'))
  const message = { tool_calls: [{ id: 'c1', type: 'function', function: { name: 'a', arguments: '{}' } }] }
  await expect(runOpenAiChatCalls(refusedKey.client, user, message)).rejects.toThrow(MortiseProblem)
  await expect(anthropicTools(refusedKey.client, user)).rejects.toThrow(MortiseProblem)
  const nowhere = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', project: 'shop', retries: 0 })
  await expect(openAiChatTools(nowhere, user)).rejects.toThrow(MortiseUnreachable)
})

test('a call ends with its signal', async () => {
  const { client } = await service()
  const signal = AbortSignal.abort(new Error('stopped'))
  const message = { tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_contacts', arguments: '{}' } }] }
  await expect(runOpenAiChatCalls(client, user, message, { signal })).rejects.toThrow('stopped')
})
