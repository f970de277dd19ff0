/**
 * The resources of the API: what each is and how it lives. Their fields and operations come from the declarations; the pages under
 * `docs/resources` and `/docs` are made of both.
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
    is: 'Everything of one product of yours: integrations, connections, installations, destinations and keys belong to exactly one project.',
    life: 'The first start makes the project `default`; builders of an organisation make more. Name and app name can be changed, the id never. Projects are not deleted.',
  },
  Org: {
    is: 'An organisation: the people who share projects.',
    life: 'Whoever makes an organisation owns it. Its label can be changed by owners. Projects belong to it for good.',
  },
  Builder: {
    is: 'A person who signs in to work on projects.',
    life: 'Made at the first sign-in: with the setup link, an invite, single sign-on or a claimed domain. Roles in organisations decide what a builder may do.',
    also: ['addUserToOrg', 'createPasswordReset'],
  },
  BuilderInfo: {
    is: 'Who is signed in, and their roles in projects and in the organisation.',
    life: 'Made anew for each answer; a role that is given or taken shows at once.',
  },
  Invite: {
    is: 'An invitation of a mail address to an organisation.',
    life: '`pending` when it is made; `accepted` when the person joins, `revoked` when an owner takes it back, `expired` 14 days after it was made. Only a pending invite can be revoked or accepted.',
    also: ['createOrgInvite', 'deleteOrgInvite', 'acceptInvite'],
  },
  ClaimedDomainResponse: {
    is: 'A mail domain that an organization claimed. Once it is verified, people with a verified address there can join without an invite.',
    life: '`pending` when an owner claims it, `verified` once its DNS record was found. One organization at most can verify a domain. Public suffixes and public mail domains cannot be claimed.',
    also: ['claimDomain', 'verifyClaimedDomain', 'addUserToOrg'],
  },
  ApiKey: {
    is: 'A credential of your servers (scope `full`) or of your front end (scope `frontend`).',
    life: 'The whole key is told once, when it is made. A key can be renamed, switched off and on again, given other scopes and deleted; within five seconds every node knows.',
    also: ['deleteApiKey'],
  },
  JWTKey: {
    is: 'A public key of yours: tokens that your server signs with its private half are taken as credentials of single consumers.',
    life: 'Registered with its PEM text, switched off and on again, renamed, deleted. Tokens of a key that is off are refused.',
    also: ['createJWTKey', 'deleteJWTKey'],
  },
  ProviderInfo: {
    is: 'A SaaS provider: how accounts are connected, what it supports, and what this release does there.',
    life: 'Part of the release, or read from a provider file of your own at the start. It does not change while the service runs.',
  },
  ProviderApp: {
    is: 'An OAuth app that you registered at a provider; customers connect through it.',
    life: 'Made with client id and secret; the secret is sealed and never answered. Any part of it can be changed; it cannot be deleted while connections use it.',
    also: ['deleteProviderApp'],
  },
  Integration: {
    is: 'What you built on a provider: an integration, defined by its latest revision.',
    life: 'A deploy makes it, by name, and gives it a revision whenever the definition changed. A deploy never deletes one that it does not name. Deleting it deletes its installations.',
    also: ['createIntegration', 'deleteIntegration', 'createRevision'],
  },
  Revision: {
    is: 'One version of an integration’s definition.',
    life: 'Made by a deploy that changes the definition; never changed and never deleted by itself. Installations follow the latest revision.',
    also: ['createRevision', 'batchUpsertIntegrations', 'getHydratedRevision'],
  },
  HydratedRevision: {
    is: 'A revision together with the fields that the objects have in one connected account, for choosing among them.',
    life: 'Made for each request from the revision and from what the provider says then. Where the provider cannot tell, an object says `error`.',
  },
  SignedUrl: {
    is: 'Where to upload the source of a deploy to.',
    life: 'Good for one upload within 15 minutes; the upload is kept long enough to be deployed.',
    also: ['putUpload', 'batchUpsertIntegrations'],
  },
  Connection: {
    is: 'An account of a customer at a provider, with its sealed credential.',
    life: '`created` when it is connected and whenever its token was renewed, `working` when a request with it succeeded, `bad_credentials` when the provider refused it. The same account connected again is updated in place. It is deleted by request, or with the last installation that uses it.',
    also: ['deleteConnection'],
  },
  ConnectSession: {
    is: 'A page of this service on which a customer connects an account.',
    life: 'Made by request. It is good for half an hour, and until an account was connected on it: `connectionId` tells then which connection it became.',
    also: ['createConnectSession', 'showConnectPage', 'submitConnectPage'],
  },
  ConnectSessionWithUrl: {
    is: 'The same, with the link to the page.',
    life: 'The link is in the answer that makes the session, and in no other.',
  },
  Group: {
    is: 'A customer of yours: whom accounts belong to.',
    life: 'Made when something first names its ref; a later call with another name renames it. Deleting it erases everything that is held about it.',
    also: ['deleteGroup'],
  },
  Consumer: {
    is: 'A person of a customer of yours who connected an account.',
    life: 'Made when something first names its ref; a later call with another name renames it. Deleting it deletes the person’s connections in every group, and what is installed on them.',
    also: ['deleteConsumer'],
  },
  Installation: {
    is: 'An integration as one group uses it: a connection and a config.',
    life: 'Made by request, or by itself where the manifest says `enabled: always`. `healthStatus` turns `unhealthy` when the credential is refused or reads were paused by errors, and `healthy` when no such cause remains. Each change of the config is kept as a version. Deleting it deletes a connection that nothing else uses.',
    also: ['deleteInstallation', 'pauseReads', 'unpauseReads', 'triggerRead', 'deliverResults'],
  },
  Config: {
    is: 'What a group chose, in the version that is current.',
    life: 'Every change of an installation makes a new version with its own id.',
    also: ['createInstallation', 'updateInstallation', 'patchObjectConfigContent', 'getInstallation'],
  },
  ObjectMetadata: {
    is: 'The fields of one object in one account.',
    life: 'Asked of the provider, and kept for thirty seconds. Fields of the account’s own can be made and changed where the provider’s file says how.',
    also: ['upsertMetadataForInstallation', 'upsertMetadataForConnection'],
  },
  SchemaWatch: {
    is: 'An object whose fields are watched for an installation, and how that goes.',
    life: 'There while the manifest has `watchSchema` and the installation reads the object. The first look is the baseline; a look that fails is made again, later each time, until the schedule comes round.',
  },
  SchemaChange: {
    is: 'How the fields of one object of an account changed between two looks.',
    life: 'Made when a look at the fields finds them otherwise; never changed, and kept as long as retention says, or until the installation is deleted.',
  },
  Operation: {
    is: 'One piece of work for an installation, such as a read of one object.',
    life: '`in_progress` until it ended as `success` or `failure`. Kept as long as retention says.',
    also: ['listOperations', 'triggerRead', 'listOperationLogs'],
  },
  Log: {
    is: 'One line that an operation logged.',
    life: 'Written while the operation runs, never changed, and kept as long as retention says.',
    also: ['streamOperationLogs', 'streamLogs'],
  },
  BackfillProgress: {
    is: 'How far the first read of an object’s past has come.',
    life: 'Begins with the backfill; goes on with every page that was delivered.',
  },
  Destination: {
    is: 'Where messages go: a webhook of yours.',
    life: 'A webhook whose every attempt failed for five days, or that answered 410, is disabled and can be enabled again. Messages for a destination that is not there wait until it is.',
    also: ['deleteDestination', 'testDestination', 'createTopicDestinationRoute'],
  },
  DestinationWithSecrets: {
    is: 'A destination, with its signing secret where that was asked for.',
    life: 'As the destination. A secret that is rotated signs beside the new one for a day more.',
  },
  Message: {
    is: 'One message for a destination: what it is about, and how its delivery stands.',
    life: 'Waits until it was delivered; tried again on a ladder of delays, and given up after the last. It can be sent again by a replay while it is kept.',
    also: ['streamMessages', 'replayMessages', 'listMessageAttempts'],
  },
  MessageWithPayload: {
    is: 'A message with the body that is delivered.',
    life: 'As the message.',
  },
  MessageAttempt: {
    is: 'One attempt to deliver a message.',
    life: 'Written when the attempt ended, never changed.',
  },
  MessageReplay: {
    is: 'A request to send messages again.',
    life: 'Works through its messages in the background; `doneTime` says that it is done.',
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
    is: 'Leads what a topic is told to a destination.',
    life: 'Made and deleted, never changed. The same pair twice is a conflict.',
    also: ['deleteTopicDestinationRoute'],
  },
  SessionTokens: {
    is: 'The tokens of a builder who signed in: a short one for requests, and one to renew it with.',
    life: 'The refresh token works once and is replaced each time. Ending the session ends both.',
    also: ['endSession'],
  },
  Problem: {
    is: 'Every answer that is neither 2xx nor 3xx: Problem Details (RFC 9457).',
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
  CustomAuthInput: 'Something that a person is asked for when they connect an account.',
  ModuleInfo: 'A part of a provider with a base URL and capabilities of its own.',
  MetadataItemInput: 'A fact about an account that a person is asked for.',
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
