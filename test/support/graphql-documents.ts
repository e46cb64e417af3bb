/** A schema with every kind of type, documented as a careful team would. */
export const SHOP_SCHEMA = `"""
The shop of **Larkmere**: products, baskets and orders.
"""
schema
  @server(url: "https://shop.larkmere.example/graphql", description: "Production")
  @apiKey(name: "X-API-Key", in: "header") {
  query: Query
  mutation: Mutation
  subscription: Subscription
}

directive @server(url: String!, description: String) repeatable on SCHEMA
directive @apiKey(name: String!, in: String!) on SCHEMA
directive @cost(points: Int!) on FIELD_DEFINITION

"An instant of ISO 8601."
scalar DateTime @specifiedBy(url: "https://scalars.graphql.org/andimarek/date-time")

enum Currency {
  "The euro."
  EUR
  USD
  XXX @deprecated(reason: "Nobody pays with it.")
}

interface Node {
  id: ID!
}

"What can be bought."
type Product implements Node {
  id: ID!
  "As the shop shows it."
  name: String!
  price(currency: Currency = EUR): Money!
  related(first: Int, after: String): [Product!]! @cost(points: 5)
  stock: Int @deprecated(reason: "Ask \`availability\`.")
}

type Money {
  amount: Float!
  currency: Currency!
}

type Basket implements Node {
  id: ID!
  items: [Product!]!
  changedAt: DateTime!
}

union Found = Product | Basket

input NewItem {
  product: ID!
  count: Int! = 1
  note: String
}

type Query {
  "One product."
  product(id: ID!): Product
  """
  Finds products and baskets.

  - by name
  - by id
  """
  search(text: String!, first: Int): [Found!]! @cost(points: 10)
  legacy: String @deprecated(reason: "Gone in June.")
}

type Mutation {
  addItem(basket: ID!, item: NewItem!): Basket!
}

type Subscription {
  basketChanged(id: ID!): Basket!
}
`;
