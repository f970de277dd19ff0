import { AppParam } from './format/app-param.ts'
import { Authentication } from './format/authentication.ts'
import { CostLimit } from './format/cost-limit.ts'
import { CustomInput, CustomRequest, CustomStep, CustomToken, TokenStep } from './format/custom-authentication.ts'
import { CustomFields, WrittenCustomFields } from './format/custom-fields.ts'
import { FieldSource } from './format/field-sources.ts'
import { PostAuthentication } from './format/further-values.ts'
import { listing } from './format/listing.ts'
import { MakeFields } from './format/make-fields.ts'
import { MetadataInput } from './format/metadata-input.ts'
import { Paging } from './format/paging.ts'
import { ErrorTable, ProviderFileOutline, ProviderModule, ProviderObject, RateLimit } from './format/provider-file.ts'
import { Child, Parents, Read, ReadAssociation } from './format/read.ts'
import { ReadByIds } from './format/read-by-ids.ts'
import { JobPoll, ReadJob } from './format/read-job.ts'
import { Expression, HealthCheck, Request } from './format/request.ts'
import { DeclaredScopes } from './format/scopes.ts'
import { EventStream } from './format/stream.ts'
import { SubscribeRequirements } from './format/support.ts'
import { PublicKey, Secret, Verification } from './format/webhook-verification.ts'
import {
  EventParts,
  Handshake,
  HookRequest,
  Lifecycle,
  ObjectEvents,
  Registration,
  Webhooks,
} from './format/webhooks.ts'
import { Window } from './format/window.ts'
import { BatchAnswer, BatchCreate, Create, Gathered, Get, RefusalList, Write, WriteAnswer } from './format/write.ts'
import { WriteJob } from './format/write-job.ts'

/** The parts of a JSON schema that the reference shows. */
export interface Shown {
  type?: string | string[]
  format?: string
  description?: string
  title?: string
  enum?: readonly unknown[]
  const?: unknown
  items?: Shown
  properties?: Record<string, Shown>
  required?: readonly string[]
  oneOf?: readonly Shown[]
  discriminator?: { propertyName: string }
  patternProperties?: Record<string, Shown>
  propertyNames?: { format?: string }
}

/** A part of the format that the reference describes once; every use of it links there. */
export interface Section {
  title: string
  schema: Shown
  /** Replaces the description of the schema. */
  intro?: string
}

function section(title: string, schema: unknown, intro?: string): Section {
  return { title, schema: schema as Shown, ...(intro !== undefined && { intro }) }
}

/**
 * The chapters of the reference, in the order in which a file has them. A section may refer to keys of an earlier one
 * in this list, or to those of a request.
 */
export const chapters: readonly (readonly [string, readonly Section[]])[] = [
  [
    'The file',
    [
      section('File', ProviderFileOutline),
      section('Inputs', MetadataInput),
      section('App settings', AppParam),
      section('Values after authentication', PostAuthentication),
      section('Health check', HealthCheck),
      section('Errors', ErrorTable),
      section('Error lists', RefusalList),
      section('Rate limits', RateLimit),
      section('Cost limits', CostLimit),
      section('Modules', ProviderModule),
      section('Requirements', SubscribeRequirements),
    ],
  ],
  [
    'Authentication',
    [
      section('Authentication', Authentication),
      section('Custom inputs', CustomInput),
      section('Custom requests', TokenStep, 'A request, and what Mortise takes from its response.'),
      section('Custom steps', CustomStep),
      section('Custom token', CustomToken),
      section('Sign-in requests', CustomRequest),
    ],
  ],
  [
    'Requests',
    [
      section('Requests', Request, 'A request to the API.'),
      section('Expressions', Expression),
      section('List requests', { type: 'object', properties: listing, required: ['path'] }, 'A request for a list.'),
      section('Paging', Paging),
    ],
  ],
  [
    'Objects',
    [
      section('Objects', ProviderObject),
      section('OAuth scopes', DeclaredScopes),
      section('Fields', FieldSource),
      section('Field creation', MakeFields),
    ],
  ],
  [
    'Reading',
    [
      section('Read', Read),
      section('Child lists', Child),
      section('Parent lists', Parents),
      section('Associations', ReadAssociation),
      section('Custom fields', CustomFields),
      section('Incremental reads', Window),
      section('Read jobs', ReadJob),
      section('Job states', JobPoll),
      section('Get', Get),
      section('Read by ids', ReadByIds),
    ],
  ],
  [
    'Writing',
    [
      section('Write', Write),
      section('Write requests', Create, 'A request that writes one record.'),
      section('Write responses', WriteAnswer),
      section('Batch writes', BatchCreate),
      section('Batch responses', BatchAnswer),
      section('Written custom fields', WrittenCustomFields),
      section('Gathered fields', Gathered),
      section('Write jobs', WriteJob),
    ],
  ],
  [
    'Changes',
    [
      section('Webhooks', Webhooks),
      section('Registration', Registration),
      section('Hook requests', HookRequest),
      section('Verification', Verification),
      section('Secrets', Secret),
      section('Public keys', PublicKey),
      section('Handshakes', Handshake),
      section('Lifecycle', Lifecycle),
      section('Events', EventParts),
      section('Object events', ObjectEvents),
      section('Event streams', EventStream),
    ],
  ],
]
