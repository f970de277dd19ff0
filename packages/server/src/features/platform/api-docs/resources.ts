/**
 * The resources of the API: what each is and how it lives. Their fields and operations come from the declarations; the
 * pages under `docs/resources` and `/docs` are made of both.
 */
export interface Resource {
  /** What it is, in one sentence: the description of its schema. */
  is: string
  /** How it comes about, changes and goes. */
  life: string
  /** Operations that concern it although neither their bodies nor their answers hold it. */
  also?: string[]
}

/** By name of the schema. */
export const resources: Record<string, Resource> = {
  Project: {
    is: 'One of your products. Integrations, connections, installations, destinations and keys belong to exactly one project.',
    life: 'The first start creates the project `default`. Builders of an organization create more. You can change name and app name, but not the id. Projects are not deleted.',
  },
  Org: {
    is: 'An organization: people who share projects.',
    life: 'The person who creates an organization owns it. Owners can change its label. Projects belong to it permanently.',
  },
  Builder: {
    is: 'A person who signs in to work on projects.',
    life: 'Made at the first sign-in: with the setup link, an invite, single sign-on or a claimed domain. Roles in organizations define a builder’s permissions.',
    also: ['addUserToOrg', 'createPasswordReset'],
  },
  BuilderInfo: {
    is: 'The signed-in person, with their roles in projects and in the organization.',
    life: 'Created for each response. Changes of roles show immediately.',
  },
  Invite: {
    is: 'An invitation of an email address to an organization.',
    life: '`pending` after its creation, `accepted` when the person joins, `revoked` by an owner, `expired` after 14 days. Only a pending invite can be revoked or accepted.',
    also: ['createOrgInvite', 'deleteOrgInvite', 'acceptInvite'],
  },
  ClaimedDomainResponse: {
    is: 'A mail domain that an organization claimed. Once it is verified, people with a verified address there can join without an invite.',
    life: '`pending` when an owner claims it, `verified` once its DNS record was found. One organization at most can verify a domain. Public suffixes and public mail domains cannot be claimed.',
    also: ['claimDomain', 'verifyClaimedDomain', 'addUserToOrg'],
  },
  ApiKey: {
    is: 'A credential of your servers (scope `full`) or of your front end (scope `frontend`).',
    life: 'You can rename, deactivate, activate and delete a key, and change its scopes. Changes apply on every node within five seconds.',
    also: ['deleteApiKey'],
  },
  JWTKey: {
    is: 'Your public key. Tokens that your server signs with the private key are credentials of single consumers.',
    life: 'Registered with its PEM text. You can deactivate, activate, rename and delete it. Tokens of an inactive key are refused.',
    also: ['createJWTKey', 'deleteJWTKey'],
  },
  ProviderInfo: {
    is: 'A SaaS provider: how accounts are connected, what it supports, and what this release does there.',
    life: 'Part of the release, or read from your own provider file at the start. It does not change while the service runs.',
  },
  ProviderApp: {
    is: 'An OAuth app that you registered at a provider. Customers connect through it.',
    life: 'Created with client id and secret. The secret is encrypted and never returned. You can change every part. It cannot be deleted while connections use it.',
    also: ['deleteProviderApp'],
  },
  Integration: {
    is: 'What you built on a provider: an integration, defined by its latest revision.',
    life: 'A deploy makes it, by name, and gives it a revision whenever the definition changed. A deploy never deletes one that it does not name. Deleting it deletes its installations.',
    also: ['createIntegration', 'deleteIntegration', 'createRevision'],
  },
  Revision: {
    is: 'One version of an integration’s definition.',
    life: 'Created by a deploy that changes the definition. Never changed, and never deleted alone. Installations use the latest revision.',
    also: ['createRevision', 'batchUpsertIntegrations', 'getHydratedRevision'],
  },
  HydratedRevision: {
    is: 'A revision together with the fields that the objects have in one connected account, for choosing among them.',
    life: 'Created for each request from the revision and the provider’s current description. An object that the provider cannot describe has an `error`.',
  },
  SignedUrl: {
    is: 'Where to upload the source of a deploy to.',
    life: 'Good for one upload within 15 minutes; the upload is kept long enough to be deployed.',
    also: ['putUpload', 'batchUpsertIntegrations'],
  },
  Connection: {
    is: 'A customer’s account at a provider, with its encrypted credential.',
    life: '`created` when it is connected and whenever its token was renewed, `working` after a successful request, `bad_credentials` after the provider refused it. Connecting the same account again updates it. It is deleted by request, or with the last installation that uses it.',
    also: ['deleteConnection'],
  },
  ConnectSession: {
    is: 'A page of this service on which a customer connects an account.',
    life: 'Created by request. Valid for half an hour, and until an account is connected with it. `connectionId` is then the connection.',
    also: ['createConnectSession', 'showConnectPage', 'showConnectForm', 'submitConnectForm'],
  },
  ConnectSessionWithUrl: {
    is: 'The same, with the link to the page.',
    life: 'The link is in the answer that makes the session, and in no other.',
  },
  Group: {
    is: 'One of your customers, who owns accounts.',
    life: 'Created when you first use its ref. A later call with another name renames it. Deleting it erases all its data.',
    also: ['deleteGroup'],
  },
  Consumer: {
    is: 'A person at one of your customers who connected an account.',
    life: 'Made when something first names its ref; a later call with another name renames it. Deleting it deletes the person’s connections in every group, and what is installed on them.',
    also: ['deleteConsumer'],
  },
  Installation: {
    is: 'An integration as one group uses it: a connection and a config.',
    life: 'Created by request, or automatically if the manifest has `enabled: always`. `healthStatus` becomes `unhealthy` when the credential is refused or errors paused reads, and `healthy` when no such cause remains. Each change of the config is stored as a version. Deleting an installation deletes a connection that nothing else uses.',
    also: ['deleteInstallation', 'pauseReads', 'unpauseReads', 'triggerRead', 'deliverResults'],
  },
  Config: {
    is: 'A group’s choices, in the current version.',
    life: 'Every change of an installation makes a new version with its own id.',
    also: ['createInstallation', 'updateInstallation', 'patchObjectConfigContent', 'getInstallation'],
  },
  ObjectMetadata: {
    is: 'The fields of one object in one account.',
    life: 'Requested from the provider, and cached for 30 seconds. You can create and change the account’s own fields if the provider’s file supports it.',
    also: ['upsertMetadataForInstallation', 'upsertMetadataForConnection'],
  },
  SchemaWatch: {
    is: 'An object whose fields are watched for an installation, and how that goes.',
    life: 'Exists while the manifest has `watchSchema` and the installation reads the object. The first check is the baseline. A failed check is repeated with growing delays, until the next scheduled one.',
  },
  SchemaChange: {
    is: 'How the fields of one object of an account changed between two looks.',
    life: 'Created when a check of the fields finds a change. Never changed. Kept for the retention time, or until the installation is deleted.',
  },
  Operation: {
    is: 'One piece of work for an installation, such as a read of one object.',
    life: '`in_progress` until it ends as `success` or `failure`. Kept for the retention time.',
    also: ['listOperations', 'triggerRead', 'listOperationLogs'],
  },
  Log: {
    is: 'One line that an operation logged.',
    life: 'Written while the operation runs, never changed, and kept for the retention time.',
    also: ['streamOperationLogs', 'streamLogs'],
  },
  ReadSchedule: {
    is: 'An object that an installation reads on a schedule, with its last and next reads.',
    life: 'Exists while the installation reads the object and the config or the manifest has a schedule for it. A pause ends its next time.',
    also: ['pauseReads', 'unpauseReads'],
  },
  BackfillProgress: {
    is: 'Progress of the backfill of an object.',
    life: 'Starts with the backfill. Changes with each delivered page.',
  },
  Destination: {
    is: 'Where messages go: one of your webhooks.',
    life: 'A webhook is disabled if every attempt failed for five days, or if it answered 410. You can enable it again. Messages for a destination that does not exist wait until it does.',
    also: ['deleteDestination', 'testDestination', 'createTopicDestinationRoute'],
  },
  DestinationWithSecrets: {
    is: 'A destination, with its signing secret on request.',
    life: 'Like the destination. After a rotation, the old secret also signs for one more day.',
  },
  Message: {
    is: 'One message for a destination: its subject and its delivery state.',
    life: 'Waits until it is delivered. Retried on the retry schedule, and failed after the last attempt. It can be sent again by a replay while it is kept.',
    also: ['streamMessages', 'replayMessages', 'listMessageAttempts'],
  },
  MessageWithPayload: {
    is: 'A message with its body.',
    life: 'As the message.',
  },
  MessageAttempt: {
    is: 'One attempt to deliver a message.',
    life: 'Written when the attempt ended, never changed.',
  },
  MessageReplay: {
    is: 'A request to send messages again.',
    life: 'Processes its messages in the background. When it is done, it has a `doneTime`.',
  },
  DestinationConnection: {
    is: 'The destination of a connection, in a destination of type `by-group`.',
    life: 'Set and replaced by request. Deleted by request, with the connection, and with the destination of type `by-group`.',
    also: ['deleteDestinationConnection'],
  },
  DestinationGroup: {
    is: 'The destination of a group, in a destination of type `by-group`.',
    life: 'Set and replaced by request. Deleted by request, with the group, and with the destination of type `by-group`.',
    also: ['deleteDestinationGroup'],
  },
  DestinationTest: {
    is: 'What a test message met at a destination.',
    life: 'Made for one request; the test message is not kept.',
  },
  Topic: {
    is: 'A name that routes of events lead to and destinations listen to.',
    life: 'Made and renamed by request. Deleting it deletes its routes.',
    also: ['deleteTopic', 'createEventTopicRoute', 'createTopicDestinationRoute'],
  },
  NotificationEventTopicRoute: {
    is: 'Leads events of one type to a topic.',
    life: 'Made and deleted, never changed. The same pair twice is a conflict.',
    also: ['deleteEventTopicRoute'],
  },
  TopicDestinationRoute: {
    is: 'Routes the events of a topic to a destination.',
    life: 'Made and deleted, never changed. The same pair twice is a conflict.',
    also: ['deleteTopicDestinationRoute'],
  },
  SessionTokens: {
    is: 'The tokens of a builder who signed in: a short one for requests, and one to renew it with.',
    life: 'The refresh token works once and is replaced each time. Ending the session ends both.',
    also: ['endSession'],
  },
  Problem: {
    is: 'Every response other than 2xx and 3xx: Problem Details (RFC 9457).',
    life: 'Made for one answer; its request id finds it in the log.',
  },
}

/** Schemas that are parts or bodies rather than resources: what each is. */
export const parts: Record<string, string> = {
  NewInvite: 'An invite that was just made, with the link that accepts it.',
  ApiKeyRequest: 'A new API key.',
  PatchApiKeyRequest: 'Changes of an API key: what `updateMask` names.',
  CreateJWTKeyRequest: 'A new JWT key.',
  UpdateJWTKeyRequest: 'Changes of a JWT key: what `updateMask` names.',
  CustomAuthInput: 'An input that a person enters when they connect an account.',
  ModuleInfo: 'A part of a provider with its own base URL and capabilities.',
  MetadataItemInput: 'A fact about an account that a person enters.',
  NewProviderApp: 'A new provider app.',
  UpdateProviderAppRequest: 'Changes of a provider app: what `updateMask` names.',
  ManifestFinding: 'Something that is wrong, or unwise, in a manifest.',
  OAuth2Tokens: 'Tokens of an OAuth connection.',
  GenerateConnectionRequest:
    'An account to be connected, with one block of credentials: the one that its provider takes.',
  UpdateConnectionRequest: 'Changes of a connection: what `updateMask` names.',
  ConfigContent: 'What a group chose for each action of an integration.',
  PartialConfigContent: 'The parts of a config’s content that are changed.',
  ReadConfigObject: 'What a group chose for reading one object. What is absent is as the manifest says.',
  WriteConfigObject: 'What a group chose for writing one object.',
  SubscribeConfigObject: 'What a group chose for the events of one object.',
  FieldMetadata: 'A field of an object.',
  FieldDefinition: 'A field that an account is to have.',
  UpsertMetadataRequest: 'Fields that objects of an account are to have.',
  UpsertMetadataResponse: 'What became of each field.',
  FieldUpsertResult: 'What became of one field.',
  SearchRequest: 'Which records are searched for.',
  SearchResponse: 'Records that were found.',
  FoundRecord: 'A record that was found, in the form that messages have.',
  OperationPage: 'A page of operations.',
  FoundOperationPage: 'A page of the operations of a project.',
  TimelinePage: 'A page of a time line.',
  ProviderEventPage: 'A page of what providers sent.',
  CountSeries: 'Counts of each interval of a range of time.',
  TopInstallation: 'An installation with its counts in a range of time.',
  TriggerReadRequest: 'Which records are to be read, now.',
  DeliverResultsRequest: 'How many pages of an object are to be delivered.',
  PauseReadsRequest: 'Which objects are paused or resumed; all without a body.',
  NewDestination: 'A new destination.',
  DestinationUpdate: 'Changes of a destination: what `updateMask` names.',
  NewMessageReplay: 'Which messages are to be sent again.',
  TopicInput: 'The name of a topic.',
  NewEventTopicRoute: 'A new route from a type of event to a topic.',
  NewTopicDestinationRoute: 'A new route from a topic to a destination.',
}
