import { MortiseConnect } from './elements/connect.ts'
import { FieldBox } from './elements/field-box.ts'
import { MortiseInstall } from './elements/install.ts'
import { MortiseIntegrations } from './elements/integrations.ts'
import { MortiseManage } from './elements/manage.ts'

const elements = {
  'mortise-connect': MortiseConnect,
  'mortise-install': MortiseInstall,
  'mortise-manage': MortiseManage,
  'mortise-integrations': MortiseIntegrations,
  'mortise-field-box': FieldBox,
}
for (const [name, element] of Object.entries(elements))
  if (!customElements.get(name)) customElements.define(name, element)

declare global {
  interface HTMLElementTagNameMap {
    'mortise-connect': MortiseConnect
    'mortise-install': MortiseInstall
    'mortise-manage': MortiseManage
    'mortise-integrations': MortiseIntegrations
  }
}

export type { ErrorDetail, MortiseEventDetails, MortiseEventMap, MortiseEventName } from './elements/events.ts'
export * from './headless/index.ts'
export { MortiseConnect, MortiseInstall, MortiseIntegrations, MortiseManage }
