import type { Server } from '@modelcontextprotocol/server'
import type { BuilderCaller } from '../../../kernel/http/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { apiClient } from './api-client.ts'
import type { ManagementServices } from './management-services.ts'
import { checkProviderFile } from './provider-file-check.ts'

/** The tools of builders, loaded with the first request. */
export function loadTools() {
  return import('@mortise/cli/tools')
}

type Tools = Awaited<ReturnType<typeof loadTools>>

/** Makes the server of one request, whose tools call the API as the person. */
export function managementServer(
  { createServer, ofService, toolsAtService, UsageError }: Tools,
  services: ManagementServices,
  { caller, address, log, signal }: { caller: BuilderCaller; address: string; log: Logger; signal: AbortSignal },
): Server {
  const { agent, onlyReads = false } = caller
  return createServer({
    tools: toolsAtService(),
    // The access token of a person has no consent to changes.
    allowWrites: agent !== undefined && !onlyReads,
    ending: signal,
    call: {
      showRecords: false,
      connect: (project) => apiClient(services, { caller, address }, project),
      connectAnonymously: () => apiClient(services, { caller, address }),
      checkProviderFile: async (file) => {
        const faults = await checkProviderFile(file)
        if (faults === 'busy') throw new UsageError('Other provider files are being checked. Try again in a moment.')
        if (faults === 'too costly')
          throw new UsageError('Checking this provider file takes too long, or too much memory.')
        return faults
      },
    },
    ...ofService((err) => log.error({ err }, 'unexpected error of a tool for builders')),
  })
}
