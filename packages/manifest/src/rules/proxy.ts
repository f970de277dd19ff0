import type { Fields } from '../fields.ts'
import type { ProxyIntegration } from '../manifest.ts'
import { present } from '../present.ts'
import type { Scope } from './scope.ts'

/** The `proxy` action. */
export function readProxy({ report }: Scope, action: Fields): ProxyIntegration {
  if (!action.has('enabled')) {
    report('proxy-enabled-required', action.at('enabled'), {
      message: '`proxy` does not say whether it is enabled; it is not.',
      suggestion: 'Write `enabled: true`, or remove `proxy`.',
    })
  }
  return present({ enabled: action.flag('enabled'), useModule: action.flag('useModule') })
}
