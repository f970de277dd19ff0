import { problem } from '../../../kernel/http/index.ts'

export const CredentialNotImplemented = problem({
  code: 'credential-not-implemented',
  status: 501,
  title: 'Authentication method not supported',
  detail: 'The provider file does not describe how to make a credential from these inputs.',
  remedy: 'Describe it in your own provider file (MORTISE_PROVIDERS_DIR).',
  retryable: false,
  subsystem: 'connections',
})
