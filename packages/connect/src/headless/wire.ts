import type { components } from '@mortise/client'

/** What the service answers, by the names that the components use. */

type Schemas = components['schemas']
export type HydratedRevision = Schemas['HydratedRevision']
export type HydratedField = Schemas['HydratedIntegrationField']
export type HydratedObject = Schemas['HydratedIntegrationObject']
export type FieldMetadata = Schemas['FieldMetadata']
export type ConfigContent = Schemas['ConfigContent']
export type ReadConfigObject = Schemas['ReadConfigObject']
export type WriteConfigObject = Schemas['WriteConfigObject']
export type Installation = Schemas['Installation']

export type ConnectInfo = Schemas['ConnectInfo']
export type ProviderSummary = ConnectInfo['providers'][number]
export type IntegrationSummary = ConnectInfo['integrations'][number]
export type InstallationSummary = ConnectInfo['installations'][number]
/** A connection, with what its status means for the customer. */
export type Connection = ConnectInfo['connections'][number]
/** What the account was asked for and did not grant, with what needs it. */
export type MissingPermission = NonNullable<Connection['missingPermissions']>[number]
/** Values of CSS variables. */
export type Theme = NonNullable<ConnectInfo['connect']['theme']>
/** Texts of languages by their keys. */
export type Overrides = NonNullable<ConnectInfo['connect']['messages']>
export type Purpose = NonNullable<ConnectInfo['session']>['purpose']

export type ConnectForm = Schemas['ConnectForm']
export type FormMethod = ConnectForm['methods'][number]
export type FormField = FormMethod['fields'][number]
/** What a form sends. The client adds for whom. */
export type ConnectBody = Omit<Schemas['ConnectAccountRequest'], 'groupRef' | 'consumerRef'>
export type ConnectOutcome = Schemas['ConnectAccountResponse']

export type Preview = Schemas['Preview']
export type PreviewRecord = Schemas['PreviewRecord']
export type PreviewRequest = Schemas['PreviewRequest']
export type InstallationWebhook = Schemas['InstallationWebhook']
export type InstallationStatus = Schemas['InstallationStatus']
export type ObjectStatus = InstallationStatus['objects'][number]
