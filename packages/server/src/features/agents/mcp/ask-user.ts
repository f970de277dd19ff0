import type { ClientCapabilities, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import type { Confirmation, Question } from '../tools/index.ts'
import type { Library } from './library.ts'

/** Names the one question of a result. */
const key = 'confirm'

/**
 * Returns what a request says about a question to the user; undefined if its client cannot ask. What the client sends
 * is compared elsewhere.
 */
export function confirmationOf(library: Library, request: ServerContext['mcpReq']): Confirmation | undefined {
  const state: unknown = request.requestState()
  if (state !== undefined) {
    const answer = answerOf(library, request.inputResponses)
    return { state: String(state), ...(answer && { answer }) }
  }
  const envelope: { [key: string]: unknown } = { ...request.envelope }
  const capabilities = envelope[library.CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
  const elicitation = capabilities?.elicitation
  // Without a mode, a client shows forms.
  const showsForms = elicitation && (elicitation.form !== undefined || elicitation.url === undefined)
  return showsForms ? {} : undefined
}

/** Only a clear yes confirms, and only a clear no refuses. Anything else repeats the question. */
function answerOf(library: Library, responses: Record<string, unknown> | undefined): Confirmation['answer'] {
  const response = library.inputResponse(responses, key)
  if (response.kind !== 'elicit') return undefined
  if (response.action !== 'accept') return 'refused'
  const confirmed = response.content?.['confirm']
  if (typeof confirmed !== 'boolean') return undefined
  return confirmed ? 'confirmed' : 'refused'
}

/** Returns the result that asks the client to ask its user. */
export function inputRequiredFor(library: Library, { message, state }: Question): InputRequiredResult {
  const confirm = {
    type: 'boolean' as const,
    title: 'Run this call',
    description: 'Yes runs it once. No changes nothing.',
  }
  return library.inputRequired({
    inputRequests: {
      [key]: library.inputRequired.elicit({
        message,
        requestedSchema: { type: 'object', properties: { confirm }, required: ['confirm'] },
      }),
    },
    requestState: state,
  })
}
