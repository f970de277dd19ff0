import type { CallApi } from '../../../kernel/http/index.ts'
import type { BuilderTokens } from '../../identity/sign-in/index.ts'

export interface ManagementServices {
  builderTokens: BuilderTokens
  callApi: CallApi
  publicUrl: string
}
