import { needsConsumer, sendToolRequest, type ToolValues, toolRequestFaults } from '@mortise/providers'
import type { InstallationRecord } from '../../integrations/installations/index.ts'
import { classifyFailure, type ProviderCall, type ProviderFailure } from '../../provider-calls/calls/index.ts'
import { callProvider } from '../../provider-calls/object-metadata/index.ts'
import { argumentFaults, refuseFaults } from './check-arguments.ts'
import { customSchema } from './custom-definition.ts'
import { customOutcome } from './custom-result.ts'
import type { CustomTool } from './declared-tools.ts'
import type { ReadyCall, ToolContext, ToolOutcome, ToolRequest } from './tool-call.ts'
import { consumerMissing, ToolError } from './tool-error.ts'

/**
 * Checks everything that a call of a builder's tool needs: the arguments, and that they make a request that stays below
 * its path.
 *
 * @throws ToolError
 */
export async function prepareCustomCall(
  context: ToolContext,
  request: ToolRequest,
  tool: CustomTool,
  installation: InstallationRecord,
  calls: ProviderCall[],
): Promise<ReadyCall> {
  refuseFaults(argumentFaults(customSchema(tool), request.arguments))
  const { custom } = tool
  if (request.consumerRef === undefined && needsConsumer(custom.request)) throw consumerMissing()
  const values = { arguments: request.arguments, group: request.groupRef, consumer: request.consumerRef }
  refuseFaults(toolRequestFaults(custom.request, values))
  return {
    // A request that is sent once cannot be tried before.
    async checkTarget() {},
    run: () => (tool.isDryRun ? dryRun() : send(context, tool, installation, values, calls)),
  }
}

async function dryRun(): Promise<ToolOutcome> {
  const message = 'The call is valid. Nothing was sent to the account.'
  return { content: { dryRun: true, action: 'call', message }, summary: 'dry run' }
}

async function send(
  { db, services, signal }: ToolContext,
  tool: CustomTool,
  installation: InstallationRecord,
  values: ToolValues,
  calls: ProviderCall[],
): Promise<ToolOutcome> {
  const { request, result } = tool.custom
  let failure: ProviderFailure | undefined
  const answer = await callProvider(
    db,
    services,
    installation,
    signal,
    async (access, within) => {
      const options = {
        resultPath: result?.path,
        isRead: !tool.isWrite,
        signal: within,
        now: () => services.now().getTime(),
      }
      try {
        return await sendToolRequest(access, request, values, options)
      } catch (error) {
        failure = classifyFailure(error)
        throw error
      }
    },
    { calls },
  ).catch((error: unknown) => {
    throw (failure && whatToDo(failure, tool, installation)) ?? error
  })
  return customOutcome(tool, installation, answer)
}

const providerMessageMax = 1_000

/** Returns what an agent can do about a failure that its kind alone does not tell; undefined for any other. */
function whatToDo(
  { kind, scope, mayBeDone, sentence }: ProviderFailure,
  { isWrite }: CustomTool,
  { provider }: InstallationRecord,
): ToolError | undefined {
  const providerMessage = sentence.slice(0, providerMessageMax).toWellFormed()
  const isUnknown = mayBeDone || kind === 'unexpected_response'
  if (isWrite && isUnknown && scope !== 'service')
    return new ToolError({
      code: 'outcome_unknown',
      message: `${provider} did not confirm the call, and may have done it. Look before you call again.`,
      providerMessage,
    })
  switch (kind) {
    case 'not_found':
      return new ToolError({
        code: 'not_found',
        message: `${provider} did not find what the arguments name. Check them.`,
        providerMessage,
      })
    case 'answer_too_large':
      return new ToolError({ code: 'not_possible', message: `The answer of ${provider} is too large. Ask for less.` })
    case 'unexpected_response':
      return new ToolError({
        code: 'not_possible',
        message: `The answer of ${provider} is not a result. The same call will not help.`,
        providerMessage,
      })
    default:
      return undefined
  }
}
