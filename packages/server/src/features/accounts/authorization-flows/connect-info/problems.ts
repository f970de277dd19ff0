import { problem } from '../../../../kernel/http/index.ts'

export const CredentialRefused = problem({
  code: 'credential-refused',
  status: 422,
  title: 'The provider refuses the credential',
  detail: 'The provider refused the credential. The account is stored with the status `bad_credentials`.',
  remedy: 'Check the credential and its permissions, and send it again.',
  retryable: false,
  subsystem: 'connections',
})

export const ProviderUnreachable = problem({
  code: 'provider-unreachable',
  status: 422,
  title: 'The provider could not be reached',
  detail: 'The provider could not be reached at the address of the account.',
  remedy: 'Check the address, and send the request again.',
  retryable: true,
  subsystem: 'connections',
})
