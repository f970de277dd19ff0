import type { GrpcSchema } from '../../../../kernel/net/index.ts'

/** Full name of the service. */
export const pubSubService = 'eventbus.v1.PubSub'

/** The messages of the Pub/Sub API that a subscriber needs (https://github.com/forcedotcom/pub-sub-api). */
export const pubSubSchema: GrpcSchema = {
  nested: {
    eventbus: {
      nested: {
        v1: {
          nested: {
            ReplayPreset: { values: { LATEST: 0, EARLIEST: 1, CUSTOM: 2 } },
            ProducerEvent: {
              fields: {
                id: { type: 'string', id: 1 },
                schema_id: { type: 'string', id: 2 },
                payload: { type: 'bytes', id: 3 },
              },
            },
            ConsumerEvent: {
              fields: { event: { type: 'ProducerEvent', id: 1 }, replay_id: { type: 'bytes', id: 2 } },
            },
            FetchRequest: {
              fields: {
                topic_name: { type: 'string', id: 1 },
                replay_preset: { type: 'ReplayPreset', id: 2 },
                replay_id: { type: 'bytes', id: 3 },
                num_requested: { type: 'int32', id: 4 },
              },
            },
            FetchResponse: {
              fields: {
                events: { rule: 'repeated', type: 'ConsumerEvent', id: 1 },
                latest_replay_id: { type: 'bytes', id: 2 },
                rpc_id: { type: 'string', id: 3 },
                pending_num_requested: { type: 'int32', id: 4 },
              },
            },
            SchemaRequest: { fields: { schema_id: { type: 'string', id: 1 } } },
            SchemaInfo: {
              fields: { schema_json: { type: 'string', id: 1 }, schema_id: { type: 'string', id: 2 } },
            },
            PubSub: {
              methods: {
                Subscribe: {
                  requestType: 'FetchRequest',
                  requestStream: true,
                  responseType: 'FetchResponse',
                  responseStream: true,
                  comment: '',
                },
                GetSchema: { requestType: 'SchemaRequest', responseType: 'SchemaInfo', comment: '' },
              },
            },
          },
        },
      },
    },
  },
}
