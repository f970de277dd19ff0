import { problem } from '../../../kernel/http/index.ts'

export const AgentSignInNotFound = problem({
  code: 'agent-sign-in-not-found',
  status: 404,
  title: 'Sign-in not found',
  detail: 'There is no sign-in of this id, or it has expired.',
  remedy: 'Ask the user to start the sign-in again in the MCP client. A sign-in expires after ten minutes.',
  retryable: false,
  subsystem: 'agent-sessions',
})

export const AgentSignInDecided = problem({
  code: 'agent-sign-in-decided',
  status: 409,
  title: 'The sign-in is not waiting',
  detail: 'The sign-in was completed or refused before.',
  remedy: 'Ask the user to start the sign-in again in the MCP client.',
  retryable: false,
  subsystem: 'agent-sessions',
})

export const AgentSessionNotFound = problem({
  code: 'agent-session-not-found',
  status: 404,
  title: 'Agent session not found',
  detail: 'There is no agent session of this id, or it has ended.',
  remedy: 'List the agent sessions of the project.',
  retryable: false,
  subsystem: 'agent-sessions',
})

export const TooManyAgentClients = problem({
  code: 'too-many-agent-clients',
  status: 429,
  title: 'Too many registrations',
  detail: 'The project has as many new registrations of clients as it may have.',
  remedy: 'Try again later, or use a client ID metadata document. Unused registrations expire after a day.',
  retryable: true,
  subsystem: 'agent-sessions',
})
