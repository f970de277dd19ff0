import { AppParam } from './format/app-param.ts'
import { Authentication } from './format/authentication.ts'
import { CustomInput, CustomToken, TokenStep } from './format/custom-authentication.ts'
import { CustomFields } from './format/custom-fields.ts'
import { FieldSource } from './format/field-sources.ts'
import { PostAuthentication } from './format/further-values.ts'
import { listing } from './format/listing.ts'
import { LookupUnless } from './format/lookups.ts'
import { MakeFields, Preparation } from './format/make-fields.ts'
import { MetadataInput } from './format/metadata-input.ts'
import { Paging } from './format/paging.ts'
import { ErrorTable, ProviderFileOutline, ProviderModule, ProviderObject, RateLimit } from './format/provider-file.ts'
import { Parents, Read, ReadAssociation } from './format/read.ts'
import { ReadByIds } from './format/read-by-ids.ts'
import { JobPoll, ReadJob } from './format/read-job.ts'
import { HealthCheck, Request } from './format/request.ts'
import { ResponseMatch } from './format/responses.ts'
import { EventStream } from './format/stream.ts'
import { Value } from './format/values.ts'
import { PublicKey, Secret, Verification } from './format/webhook-verification.ts'
import { EventParts, Handshake, HookRequest, ObjectEvents, Registration, Webhooks } from './format/webhooks.ts'
import { Window } from './format/window.ts'
import { Batch, Create, Get, RefusalList, Write, WriteAnswer } from './format/write.ts'
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
  /** The heading of the guide that has examples. */
  guide?: string
}

function section(title: string, schema: unknown, more: Pick<Section, 'intro' | 'guide'> = {}): Section {
  return { title, schema: schema as Shown, ...more }
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
      section('Inputs', MetadataInput, { guide: 'values-that-customers-enter' }),
      section('App settings', AppParam, { guide: 'settings-of-provider-apps' }),
      section('Values after authentication', PostAuthentication),
      section('Health check', HealthCheck),
      section('Errors', ErrorTable, { guide: 'errors-and-rate-limits' }),
      section('Error lists', RefusalList),
      section('Rate limits', RateLimit, { guide: 'errors-and-rate-limits' }),
      section('Modules', ProviderModule),
    ],
  ],
  [
    'Authentication',
    [
      section('Authentication', Authentication, { guide: 'authentication' }),
      section('Custom inputs', CustomInput),
      section('Custom requests', TokenStep, { intro: 'A request, and what Mortise takes from its response.' }),
      section('Custom token', CustomToken, { guide: 'sign-in-with-cookies' }),
    ],
  ],
  [
    'Requests',
    [
      section('Requests', Request, { intro: 'A request to the API.', guide: 'requests' }),
      section('Lookups', LookupUnless),
      section('Responses', ResponseMatch, { intro: 'What a response looks like.' }),
      section('Values', Value, { intro: 'Where a value is: a path, or an object with these keys.', guide: 'lift' }),
      section(
        'List requests',
        { type: 'object', properties: listing, required: ['path'] },
        { intro: 'A request for a list.', guide: 'which-one-do-i-need' },
      ),
      section('Paging', Paging, { guide: 'limits-of-lists' }),
    ],
  ],
  [
    'Objects',
    [
      section('Objects', ProviderObject, { guide: 'share-definitions' }),
      section('Fields', FieldSource),
      section('Field creation', MakeFields),
      section('Field requests', Preparation, { intro: 'A request about a custom field.' }),
    ],
  ],
  [
    'Reading',
    [
      section('Read', Read, { guide: 'which-one-do-i-need' }),
      section('Parent lists', Parents, { guide: 'each' }),
      section('Associations', ReadAssociation, { guide: 'associations' }),
      section('Custom fields', CustomFields, { guide: 'customfields' }),
      section('Incremental reads', Window, { guide: 'incremental-reads' }),
      section('Read jobs', ReadJob, { guide: 'export-jobs' }),
      section('Job states', JobPoll),
      section('Get', Get, { guide: 'read-records-by-id' }),
      section('Read by ids', ReadByIds, { guide: 'read-records-by-id' }),
    ],
  ],
  [
    'Writing',
    [
      section('Write', Write, { guide: 'write' }),
      section('Write requests', Create, { intro: 'A request that writes one record.' }),
      section('Write responses', WriteAnswer),
      section('Batch writes', Batch),
      section('Write jobs', WriteJob),
    ],
  ],
  [
    'Changes',
    [
      section('Webhooks', Webhooks, { guide: 'webhooks' }),
      section('Registration', Registration),
      section('Hook requests', HookRequest),
      section('Verification', Verification),
      section('Secrets', Secret),
      section('Public keys', PublicKey),
      section('Handshakes', Handshake),
      section('Events', EventParts),
      section('Object events', ObjectEvents),
      section('Event streams', EventStream, { guide: 'streams' }),
    ],
  ],
]
