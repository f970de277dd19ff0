import type { Tool } from '../tool.ts'
import { pauseReads, redriveDeadLetters, resumeReads, triggerRead } from './changes.ts'
import { getConnection, listConnections } from './connections.ts'
import { getDestination, listDestinations } from './destinations.ts'
import { readDocs } from './docs.ts'
import { runDoctor } from './doctor.ts'
import { getInstallation, listInstallations } from './installations.ts'
import { getIntegration, listIntegrations } from './integrations.ts'
import { deployManifest, planDeploy, validateManifest } from './manifests.ts'
import { getDeadLetter, getMessage, listDeadLetters, listMessageAttempts, listMessages } from './messages.ts'
import { getOperation, listOperationLogs, listOperations } from './operations.ts'
import { checkProviderFile, getProvider } from './providers.ts'

/** Every tool, in the order in which clients list them. */
export const tools: readonly Tool[] = [
  validateManifest,
  planDeploy,
  deployManifest,
  checkProviderFile,
  getProvider,
  listIntegrations,
  getIntegration,
  listInstallations,
  getInstallation,
  listConnections,
  getConnection,
  listOperations,
  getOperation,
  listOperationLogs,
  listMessages,
  getMessage,
  listMessageAttempts,
  listDestinations,
  getDestination,
  listDeadLetters,
  getDeadLetter,
  pauseReads,
  resumeReads,
  triggerRead,
  redriveDeadLetters,
  runDoctor,
  readDocs,
]
