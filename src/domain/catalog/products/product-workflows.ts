import { changeRecord, defineRecord, fieldOf, type Transaction } from '../../../database/index.js';
import {
  BoundedCache,
  ConflictError,
  NotFoundError,
  ValidationError,
  type ExpectedVersion,
} from '../../../core/index.js';
import type { CatalogParts } from '../contracts.js';
import { ProductUpdatedEvent } from '../events.js';
import type { OutlineOperation } from '../openapi/build-index.js';
import type { StoredSpec } from '../openapi/stored-spec.js';
import { callText, finderOf, workflowsOf, type Workflow } from '../openapi/workflows.js';
import { productRecord, type AdminProductRecord, type ProductRecord } from './product.js';

/** Characters of documents whose workflows are kept in memory. */
const MOST_KEPT = 8_000_000;

const workflowRecord = defineRecord({
  name: 'ProductWorkflows',
  table: 'portal_product_workflows',
  alias: 'wf',
  fields: {
    productId: fieldOf.reference().key(),
    hash: fieldOf.text(64),
    document: fieldOf.longText(),
    updatedAt: fieldOf.time(),
  },
});

/** A document on its way to a product, checked against the document of its API. */
interface GivenWorkflows {
  /** null takes the workflows away. */
  readonly stored: StoredSpec | null;
  /** Hash of the document of the API that it was checked against. */
  readonly checkedWith: string | null;
}

type Owner = Pick<ProductRecord, 'id' | 'workflowsHash'>;

/** The Arazzo documents of products. They are of a product's default version. */
export class ProductWorkflows {
  private readonly known = new BoundedCache<{ readonly size: number; readonly workflows: readonly Workflow[] }>({
    size: MOST_KEPT,
    sizeOf: ({ size }) => size,
  });

  constructor(private readonly parts: CatalogParts) {}

  /**
   * Writes the document within the caller's transaction.
   * @param read the product as it is after that
   * @throws NotFoundError, PreconditionFailedError, and ConflictError where the document of the API changed meanwhile
   */
  give(
    id: number,
    { stored, checkedWith }: GivenWorkflows,
    expected: ExpectedVersion,
    read: () => Promise<AdminProductRecord>,
    transaction: Transaction,
  ): Promise<AdminProductRecord> {
    const { database } = this.parts;
    return changeRecord(productRecord, this.parts, transaction, {
      id,
      expected,
      plan: async ({ specHash, workflowsHash }, now) => {
        if (stored && specHash !== checkedWith) {
          throw new ConflictError({
            errors: { workflows: ['Somebody else changed the document meanwhile. Please try again.'] },
          });
        }
        if (workflowsHash === (stored?.hash ?? null)) return {};
        await workflowRecord.remove(database, { productId: id }, transaction);
        const rows = stored ? [{ productId: id, ...stored, updatedAt: now }] : [];
        await workflowRecord.insertAll(database, rows, transaction);
        return { values: { workflowsHash: stored?.hash ?? null } };
      },
      read,
      announce: (product, changes, occurredAt) => [new ProductUpdatedEvent({ product, changes, occurredAt })],
    });
  }

  /** @param product as it was found for its reader. @throws NotFoundError for one without workflows */
  async readDocument(product: Owner): Promise<StoredSpec> {
    const found = await this.readStored(product);
    if (!found) throw new NotFoundError();
    return found;
  }

  /** The same for readers; empty for a product without workflows. */
  async list(product: Owner): Promise<readonly Workflow[]> {
    const { id, workflowsHash: hash } = product;
    if (hash === null) return [];
    const found = await this.known.read(`${id} ${hash}`, async () => {
      const stored = await this.readStored(product);
      return stored && { size: stored.document.length, workflows: workflowsOf(stored.document) };
    });
    return found?.workflows ?? [];
  }

  /** @throws NotFoundError */
  async find(product: Owner, id: string): Promise<Workflow> {
    const found = (await this.list(product)).find((workflow) => workflow.id === id);
    if (!found) throw new NotFoundError();
    return found;
  }

  /** undefined too when they were changed since the product was read. */
  private async readStored({ id: productId, workflowsHash: hash }: Owner): Promise<StoredSpec | undefined> {
    if (hash === null) return undefined;
    return (await workflowRecord.find(this.parts.database, { productId, hash })) ?? undefined;
  }
}

/** @throws ValidationError on `workflows` for operations that the document of the API does not have */
export function requireOperations({ document }: StoredSpec, operations: readonly OutlineOperation[]): void {
  const find = finderOf(operations);
  const faults = workflowsOf(document).flatMap(({ id, steps }) =>
    steps
      .filter(({ call }) => call.kind !== 'workflow' && !find(call))
      .map(
        (step) =>
          `Workflow "${id}", step "${step.id}": the document of the API has no operation "${callText(step.call)}".`,
      ),
  );
  if (faults.length > 0) throw new ValidationError({ workflows: faults.slice(0, MOST_FAULTS) });
}

/** Of one answer. */
const MOST_FAULTS = 20;
