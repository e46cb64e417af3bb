/** Documents of AsyncAPI, each with everything that the reference shows in a way of its own. */

export const STREETLIGHTS = {
  asyncapi: '3.0.0',
  info: { title: 'Streetlights', version: '1.0.0', description: 'Lights, *on* and off.' },
  defaultContentType: 'application/json',
  servers: {
    production: {
      host: 'broker.lights.example:{port}',
      pathname: '/v1',
      protocol: 'mqtt',
      description: 'The broker',
      variables: { port: { default: '8883', enum: ['1883', '8883'] } },
      security: [{ $ref: '#/components/securitySchemes/sasl' }],
    },
  },
  channels: {
    measured: {
      address: 'lights/{lightId}/measured',
      title: 'What lights measure',
      parameters: { lightId: { description: 'Id of the light', enum: ['a', 'b'] } },
      messages: { lightMeasured: { $ref: '#/components/messages/LightMeasured' } },
      bindings: { mqtt: { qos: 2 } },
    },
    turned: { address: 'lights/turned', messages: { turn: { payload: { type: 'string', enum: ['on', 'off'] } } } },
  },
  operations: {
    receiveMeasurement: {
      action: 'receive',
      channel: { $ref: '#/channels/measured' },
      summary: 'Learn of measurements',
      tags: [{ name: 'Lights' }],
      messages: [{ $ref: '#/channels/measured/messages/lightMeasured' }],
    },
    turnOn: {
      action: 'send',
      channel: { $ref: '#/channels/turned' },
      description: 'One at a time.',
      reply: { address: { location: '$message.header#/replyTo' }, channel: { $ref: '#/channels/measured' } },
    },
  },
  components: {
    securitySchemes: { sasl: { type: 'scramSha256', description: 'Ask us' } },
    schemas: {
      Measured: {
        type: 'object',
        required: ['lumens'],
        properties: {
          lumens: { type: 'integer', minimum: 0, description: 'Light intensity' },
          inner: { $ref: '#/components/schemas/Measured' },
        },
      },
    },
    messages: {
      LightMeasured: {
        name: 'lightMeasured',
        title: 'Light measured',
        contentType: 'application/cloudevents+json',
        traits: [{ headers: { type: 'object', required: ['key'], properties: { key: { type: 'string' } } } }],
        payload: { $ref: '#/components/schemas/Measured' },
        examples: [{ name: 'bright', payload: { lumens: 900 } }],
      },
    },
  },
};

export const CHAT = {
  asyncapi: '2.6.0',
  info: { title: 'Chat', version: '2' },
  servers: { main: { url: 'wss://chat.example', protocol: 'wss', security: [{ token: [] }] } },
  channels: {
    '/rooms/{room}': {
      description: 'A room',
      parameters: { room: { schema: { type: 'string', minLength: 1 } } },
      subscribe: {
        operationId: 'onMessage',
        message: { oneOf: [{ $ref: '#/components/messages/Text' }, { name: 'joined', payload: { type: 'object' } }] },
      },
      publish: {
        summary: 'Say something',
        message: {
          schemaFormat: 'application/vnd.apache.avro;version=1.9.0',
          payload: { type: 'record', name: 'Said', fields: [{ name: 'words', type: 'string' }] },
        },
      },
    },
  },
  components: {
    securitySchemes: { token: { type: 'httpApiKey', in: 'query', name: 'token' } },
    messages: { Text: { name: 'text', payload: { type: 'object', properties: { body: { type: 'string' } } } } },
  },
};
